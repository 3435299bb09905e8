package grammar

import "strings"

// Source is where the text of a part of a word comes from, and so what is known of it.
type Source string

// The sources, from best to least known.
const (
	Literal Source = ""       // written in the command itself; quotes and escapes are resolved
	Tree    Source = "tree"   // a name inside the tree: a glob below it, output of a program that lists it
	Plain   Source = "plain"  // one plain token without leading dash, space or path out of the tree: a count, a commit id
	Digits  Source = "digits" // a number: $?, $#, $$, $((...)) of numbers, ${#x}
	Any     Source = "any"    // not known
)

// Part is a piece of a word.
type Part struct {
	Text   string // for Literal; what a glob looks like for Tree; "$!" for Digits that are a job of the script; else ""
	Source Source
}

// Word is one argument as a program will get it, as far as that is known.
type Word struct {
	Parts []Part
	Many  bool // may become any number of words, none included: an unquoted expansion, a glob, "$@"
	Glob  bool // holds an unquoted glob character
	Tilde bool // began with an unquoted tilde that was not resolved (~, ~user)
}

// Lit makes a word of literal text.
func Lit(text string) Word { return Word{Parts: []Part{{Text: text}}} }

// Text returns the word's text when all of it is literal.
func (w Word) Text() (string, bool) {
	if w.Glob || w.Tilde || w.Many {
		return "", false
	}
	var b strings.Builder
	for _, p := range w.Parts {
		if p.Source != Literal {
			return "", false
		}
		b.WriteString(p.Text)
	}
	return b.String(), true
}

// Is reports whether the word is exactly this literal text.
func (w Word) Is(text string) bool {
	t, ok := w.Text()
	return ok && t == text
}

// Prefix returns the literal text at the word's beginning, up to the first part that is not literal (a glob's text counts as
// literal up to its first glob character).
func (w Word) Prefix() string {
	var b strings.Builder
	for _, p := range w.Parts {
		switch {
		case p.Source == Literal:
			b.WriteString(p.Text)
			continue
		case p.Source == Tree && p.Text != "":
			if i := strings.IndexAny(p.Text, "*?["); i >= 0 {
				b.WriteString(p.Text[:i])
			}
		}
		return b.String()
	}
	return b.String()
}

// Source returns the least known source among the word's parts.
func (w Word) Source() Source {
	worst := Literal
	for _, p := range w.Parts {
		if rank(p.Source) > rank(worst) {
			worst = p.Source
		}
	}
	return worst
}

func rank(s Source) int {
	switch s {
	case Literal:
		return 0
	case Digits:
		return 1
	case Plain:
		return 2
	case Tree:
		return 3
	}
	return 4
}

// String returns the word for people: unknown parts are "...".
func (w Word) String() string {
	var b strings.Builder
	for _, p := range w.Parts {
		switch {
		case p.Text != "":
			b.WriteString(p.Text)
		case p.Source != Literal:
			b.WriteString("...")
		}
	}
	return b.String()
}

// after returns what follows the first occurrence of sep in the word's literal beginning; an empty word when there is none.
func after(w Word, sep string) Word {
	i := strings.Index(w.Prefix(), sep)
	if i < 0 {
		return Word{}
	}
	return drop(w, i+len(sep))
}

// drop returns the word without the first n bytes of its literal beginning.
func drop(w Word, n int) Word {
	if n == 0 {
		return w
	}
	out := w
	out.Tilde = false
	for i, p := range w.Parts {
		if n < len(p.Text) {
			p.Text = p.Text[n:]
			out.Parts = append([]Part{p}, w.Parts[i+1:]...)
			out.Tilde = w.Tilde && p.Text[0] == '~' // NAME=~/x: the tilde stands at the value's beginning
			return out
		}
		n -= len(p.Text)
		if n == 0 {
			out.Parts = w.Parts[i+1:]
			return out
		}
	}
	out.Parts = nil
	return out
}

// Drop returns the word without the first n bytes of its literal beginning, as for the value of an option in one word.
func (w Word) Drop(n int) Word { return drop(w, n) }

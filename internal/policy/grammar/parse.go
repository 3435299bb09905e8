package grammar

import (
	"fmt"
	"strings"
)

// Parse reads the words after the program's name. What the table does not allow is in Match.Refused.
func (t *Table) Parse(words []Word) *Match {
	m := &Match{Rule: t.Program.Names[0], Flags: map[string]Word{}}
	r := &reader{m: m, table: t.root, words: words}
	r.run()
	if n := len(words); n > 0 && (n == 1 || len(m.Words) == 1) && (words[n-1].Is("--version") || words[n-1].Is("--help")) {
		t.tells(m)
	}
	return m
}

// tells allows a program to print its version or its options, and nothing else, when that is its only word.
func (t *Table) tells(m *Match) {
	if c := t.Program.Class; c == Ask || c == Deny || m.Class == Ask || m.Class == Deny && t.Program.Whole == nil {
		return
	}
	m.Refused, m.Uses, m.Needs, m.StdinCode = nil, nil, nil, false
	if m.Class != Run {
		m.Class = Inspect
	}
}

// reader reads words by one table.
type reader struct {
	m     *Match
	table *table
	words []Word
	at    int  // the next word
	ended bool // no more options
	args  []Word
}

// run reads all words, by this table or by the one of a sub-command.
func (r *reader) run() {
	s, m := r.table.spec, r.m
	m.Class, m.Yields, m.Needs, m.Why, m.Words = s.Class, s.Yields, s.Needs, s.Why, r.words
	if s.Whole != nil {
		s.Whole(m)
		return
	}
	if (s.Class == Ask || s.Class == Deny) && s.Judge == nil && r.table.subs == nil && r.table.other == nil {
		return // nothing in the words could make it better
	}
	r.ended = s.Style == Bare
	done := false
	for r.at < len(r.words) && !done {
		done = r.word(r.words[r.at])
	}
	if !done {
		r.finish()
	}
	if s.Judge != nil && len(m.Refused) == 0 {
		s.Judge(m)
	}
}

// word reads the next word, and those that belong to it. It reports whether another table has read the rest.
func (r *reader) word(w Word) bool {
	if !r.ended {
		switch text := w.Prefix(); {
		case w.Is("--"):
			r.at++
			r.ended = true
			return false
		case r.isOption(w, text):
			if r.handOver(text) {
				return true
			}
			r.at++
			return r.option(w, text)
		case !r.operandSafe(w):
			r.refuse(".unknown", fmt.Sprintf(
				"%q could turn into an option of %s; write the value out, put ./ before a file name or -- before the operands",
				w.String(), r.name()))
		}
	}
	return r.operand(w)
}

// isOption reports whether a word is to be read as an option.
func (r *reader) isOption(w Word, text string) bool {
	if strings.HasPrefix(text, "+") && len(text) > 1 {
		_, known := r.table.opts.exact[text]
		_, begins := r.table.opts.prefix(text, 2)
		return known || begins
	}
	return strings.HasPrefix(text, "-") && !w.Is("-")
}

// operandSafe reports whether a word can't turn into an option that does harm.
func (r *reader) operandSafe(w Word) bool {
	text := w.Prefix()
	opts := r.table.opts
	switch {
	case w.Source() == Any && (w.Many || text == ""):
		// It may be any option: allowed only where each of them is harmless.
		return !opts.paths
	case text != "" || len(w.Parts) == 0:
		return true
	case w.Glob || w.Parts[0].Source == Tree && w.Parts[0].Text != "":
		// A name that begins with a dash may match. If it must end in an extension, it is no option that runs anything, and
		// options that only read do little harm.
		return !opts.sharp || r.table.spec.Class == Inspect || hasExtension(w)
	}
	return true
}

// hasExtension reports whether everything that a glob matches has a file extension: "*.go".
func hasExtension(w Word) bool {
	last := w.Parts[len(w.Parts)-1].Text
	last = last[strings.LastIndexAny(last, "*?]")+1:]
	dot := strings.LastIndexByte(last, '.')
	return dot >= 0 && dot < len(last)-1
}

// handOver passes the words to the table for "no sub-command" when it, and only it, knows the option.
func (r *reader) handOver(text string) bool {
	t := r.table
	if t.other == nil || len(r.args) > 0 || t.other.spec.Whole != nil {
		return false
	}
	name, _, _ := strings.Cut(text, "=")
	_, here := t.opts.exact[normal(name, t.spec.Style)]
	_, there := t.other.opts.exact[normal(name, t.other.spec.Style)]
	if here || !there {
		return false
	}
	for _, w := range r.words[r.at:] {
		if text, ok := w.Text(); ok && t.subs[text] != nil {
			return false // it might still be that sub-command
		}
	}
	r.sub(t.other, "", r.words[r.at:])
	return true
}

// operand reads a word that is no option. It reports whether the rest has been read.
func (r *reader) operand(w Word) bool {
	t := r.table
	if t.subs != nil || t.other != nil {
		return r.subCommand(w)
	}
	r.at++
	if t.command >= 0 {
		return r.towardsCommand(w)
	}
	r.args = append(r.args, w)
	if t.spec.Style == Posix || t.spec.Style == GoFlag {
		r.ended = true
	}
	return false
}

// subCommand continues with the table of the sub-command that the word names.
func (r *reader) subCommand(w Word) bool {
	t := r.table
	text, literal := w.Text()
	if !literal {
		r.refuse(".subcommand", fmt.Sprintf("the sub-command of %s is not written out; write its name in the command", r.name()))
		return true
	}
	if sub := t.subs[text]; sub != nil {
		r.sub(sub, text, r.words[r.at+1:])
		return true
	}
	if t.other != nil {
		r.sub(t.other, "", r.words[r.at:])
		return true
	}
	r.refuse(".subcommand", fmt.Sprintf("%s %q is not among the sub-commands that may run unattended; do without it, or let a person run it",
		r.name(), printable(text)))
	return true
}

// sub reads the words by another table. The parent's judge sees the result too, when nothing was refused.
func (r *reader) sub(t *table, name string, words []Word) {
	if name != "" {
		r.m.Rule += "." + name
	}
	next := &reader{m: r.m, table: t, words: words, ended: r.ended && t.spec.Style == Bare}
	next.run()
}

// towardsCommand reads the operands before a command, and the command with everything that follows it.
func (r *reader) towardsCommand(w Word) bool {
	t := r.table
	at := len(r.args)
	for at < t.command && t.args[at].count != once { // assign*
		if assigns(w) {
			r.m.Use(Assign, w, "")
			return false
		}
		r.args = append(r.args, Word{})
		at++
	}
	if at < t.command {
		if w.Many {
			r.refuse(".unknown", fmt.Sprintf("%q before the command that %s runs is not one known word; write it out", w.String(), r.name()))
		}
		r.m.Use(t.args[at].kind, w, "")
		r.args = append(r.args, w)
		if t.spec.Style == Posix {
			r.ended = true
		}
		return false
	}
	r.m.Uses = append(r.m.Uses, Use{Kind: Command, Word: w, Rest: r.words[r.at:]})
	return true
}

// assigns reports whether a word has the form NAME=value.
func assigns(w Word) bool {
	name, _, ok := strings.Cut(w.Prefix(), "=")
	return ok && IsVariable(name)
}

// IsVariable reports whether a text can be the name of a variable.
func IsVariable(name string) bool {
	for i, c := range []byte(name) {
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

func (r *reader) refuse(rule, reason string) { r.m.Ask(rule, reason) }

// name returns the program with its sub-commands, as in a command line.
func (r *reader) name() string { return strings.ReplaceAll(r.m.Rule, ".", " ") }

// printable shortens a text for a message, and escapes what is not printable.
func printable(text string) string {
	if len(text) > 60 {
		text = text[:57] + "..."
	}
	q := fmt.Sprintf("%+q", text)
	return q[1 : len(q)-1]
}

package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// exec reads a command that find runs.
func (f *finder) exec(action string) {
	end := f.at
	for end < len(f.words) && !f.words[end].Is(";") && !(f.words[end].Is("+") && end > f.at && f.words[end-1].Is("{}")) {
		end++
	}
	if end == len(f.words) || end == f.at {
		f.m.Ask(".exec", action+" of find needs a command and an end: \\; or +")
		return
	}
	if action != "-exec" {
		f.m.Ask(".exec", action+" of find runs in folders that are not known, or asks; use -exec with a full name")
		return
	}
	many := f.words[end].Is("+")
	src := grammar.Tree
	if f.outside || f.follows {
		src = grammar.Any
	}
	words := make([]grammar.Word, 0, end-f.at)
	for _, w := range f.words[f.at:end] {
		words = append(words, found(w, "{}", src, many))
	}
	f.at = end + 1
	f.m.Uses = append(f.m.Uses, grammar.Use{Kind: grammar.Command, Word: words[0], Via: action, Rest: words[1:]})
	f.silenced = true
	if f.links && !f.listsOnly(words) {
		f.m.Ask(".exec", "with -type l this opens what links lead to, which may lie anywhere; use -type f")
	}
	shellInside(f.m, words)
	if name, _ := words[0].Text(); removes(name) && !f.narrow() {
		f.m.Ask(".delete", "this would remove whatever find meets; name what goes with -name or -path before the action")
	}
}

// systemFolder reports whether a program is named by a path in the system's folders.
func systemFolder(name string) bool {
	for _, d := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/"} {
		if rest, ok := strings.CutPrefix(name, d); ok && !strings.Contains(rest, "/") {
			return true
		}
	}
	return false
}

// listsOnly reports whether a command reads links themselves and not their targets.
func (f *finder) listsOnly(words []grammar.Word) bool {
	name, _ := words[0].Text()
	switch name[strings.LastIndexByte(name, '/')+1:] {
	case "ls", "readlink", "realpath", "stat", "echo", "printf", "rm", "unlink", "test", "basename", "dirname":
		return true
	}
	return false
}

// remove judges -delete.
func (f *finder) remove() {
	if !f.narrow() || f.follows {
		f.m.Ask(".delete", "this would remove whatever find meets; name what goes with -name or -path before -delete, without -L")
	}
	f.m.Class = grammar.Change
	f.m.Needs = append(f.m.Needs, grammar.NeedDestructive)
	for _, w := range f.paths {
		f.m.Use(grammar.Write, w, "-delete")
	}
	f.silenced = true
}

// removes reports whether a program removes files.
func removes(name string) bool {
	switch name[strings.LastIndexByte(name, '/')+1:] {
	case "rm", "rmdir", "unlink", "mv", "shred":
		return true
	}
	return false
}

// shellInside asks about a shell that is started for each thing found: its script hides what happens to the names.
func shellInside(m *grammar.Match, words []grammar.Word) {
	if len(words) == 0 {
		return
	}
	name, _ := words[0].Text()
	if strings.Contains(name, "/") && !systemFolder(name) {
		m.Ask(".script", "a script for each thing found is hard to follow; loop over the names inside a script of the project")
	}
	switch name[strings.LastIndexByte(name, '/')+1:] {
	case "python", "python3", "node", "ruby", "perl", "php", "lua", "bun", "tsx":
		if _, ok := words[min(1, len(words)-1)].Text(); !ok || len(words) == 1 {
			m.Ask(".script", "this runs every file that it finds as a script; name the script")
		}
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish":
		if len(words) < 2 || !words[1].Is("-n") {
			m.Ask(".shell",
				"a shell for each thing found can't be judged; run the command itself, or loop over the names in a script of the project")
		}
	}
}

// found replaces a placeholder by what a finder finds.
func found(w grammar.Word, mark string, src grammar.Source, many bool) grammar.Word {
	if w.Is(mark) && many {
		return grammar.Word{Parts: []grammar.Part{{Source: src}}, Many: true}
	}
	out := grammar.Word{Many: w.Many, Glob: w.Glob, Tilde: w.Tilde}
	for _, p := range w.Parts {
		if p.Source != grammar.Literal {
			out.Parts = append(out.Parts, p)
			continue
		}
		for i, piece := range strings.Split(p.Text, mark) {
			if i > 0 {
				out.Parts = append(out.Parts, grammar.Part{Source: src})
			}
			if piece != "" {
				out.Parts = append(out.Parts, grammar.Part{Text: piece})
			}
		}
	}
	return out
}

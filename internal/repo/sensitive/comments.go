package sensitive

import (
	"bytes"
	"strings"
)

// notation is how a language writes what is no code.
type notation struct {
	line        string   // begins a comment up to the end of its line
	open, close string   // enclose a comment
	taken       []string // enclose a text over several lines, which takes out what stands in it
	long        string   // encloses a text over several lines, which is part of the code
}

var notations = func() map[string]notation {
	all := map[string]notation{".py": {line: "#", taken: []string{`"""`, "'''"}}, ".rb": {line: "#", open: "\n=begin", close: "\n=end"}}
	for ends, long := range map[string]string{
		".go .js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte": "`", ".java .kt .kts .groovy .scala .cs .swift .dart": `"""`, ".rs .php .c .cc .cpp .cxx .h .hpp": "",
	} {
		for end := range strings.FieldsSeq(ends) {
			all[end] = notation{line: "//", open: "/*", close: "*/", long: long}
		}
	}
	return all
}()

// uncommented returns the content of a file without what comments of several lines, and texts like them, take out. Signs within texts do not count.
// One that has no end is no comment, because the file would not be valid.
func uncommented(end string, content []byte) []byte {
	n, known := notations[end]
	if !known {
		return content
	}
	signs := append([]sign{{n.open, n.close, true}, {n.long, n.long, false}}, sign{n.line, "\n", false})
	for _, t := range n.taken {
		signs = append(signs, sign{t, t, true})
	}
	signs = append(signs, sign{`"`, `"`, false}, sign{"'", "'", false})
	content = append([]byte("\n"), content...) // so that each line follows the end of another one
	out := make([]byte, 0, len(content))
	for before := byte(0); len(content) > 0; {
		size, taken := 1, false
		for i := range signs {
			if n := signs[i].size(content); n > 0 && (before != '/' || signs[i].open != "`") { // a backtick in a pattern begins no text
				size, taken = n, signs[i].taken
				break
			}
		}
		if content[0] == '\\' { // what follows is no sign
			size = min(2, len(content))
		}
		if !taken {
			out = append(out, content[:size]...)
		}
		before, content = content[size-1], content[size:]
	}
	return bytes.TrimPrefix(out, []byte("\n"))
}

// sign encloses what is no code. What it encloses is taken out or stays.
type sign struct {
	open, close string
	taken       bool
}

// size returns the size of what a sign encloses at the beginning of a text, 0 when it does not begin there. A sign that never ends is forgotten, so
// that no text is searched to its end from each of its places.
func (s *sign) size(text []byte) int {
	if s.open == "" || !bytes.HasPrefix(text, []byte(s.open)) {
		return 0
	}
	if s.open == `"` || s.open == "'" {
		return onOneLine(text)
	}
	at := bytes.Index(text[len(s.open):], []byte(s.close))
	if at < 0 {
		s.open = ""
		return 0
	}
	if s.close == "\n" { // the next line begins with it
		return len(s.open) + at
	}
	return len(s.open) + at + len(s.close)
}

// mostQuoted is how long a text on one line is at most that is looked for, in bytes.
const mostQuoted = 4 << 10

// onOneLine returns the size of a quoted text, 0 when it does not end on its line.
func onOneLine(text []byte) int {
	for i := 1; i < len(text) && i < mostQuoted && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return 0
}

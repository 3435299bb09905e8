package sensitive

import (
	"bytes"
	"slices"
	"strings"
)

// textSigns enclose texts on one line in each language.
var textSigns = []sign{{open: `"`, close: `"`}, {open: "'", close: "'"}}

// signsOf are those of comments and of longer texts, by the ending of a language's files. In Python longer texts serve as comments.
var signsOf = func() map[string][]sign {
	all := map[string][]sign{
		".py": {{open: "#", close: "\n"}, {`"""`, `"""`, true}, {"'''", "'''", true}},
		".rb": {{"\n=begin", "\n=end", true}, {open: "#", close: "\n"}},
	}
	for ends, long := range map[string]string{
		".go .js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte": "`", ".java .kt .kts .groovy .scala .cs .swift .dart": `"""`, ".rs .php .c .cc .cpp .cxx .h .hpp": "",
	} {
		for end := range strings.FieldsSeq(ends) {
			all[end] = []sign{{"/*", "*/", true}, {open: long, close: long}, {open: "//", close: "\n"}}
		}
	}
	return all
}()

// uncommented returns the content of a file without what comments of several lines, and texts like them, take out. Signs within texts do not count.
// One that has no end is no comment, because the file would not be valid.
func uncommented(end string, content []byte) []byte {
	signs, known := signsOf[end]
	if !known {
		return content
	}
	signs = slices.Concat(signs, textSigns)    // a copy, of which signs are forgotten
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

// sign encloses what is no code. What it encloses is taken out or stays. Without an open it encloses nothing.
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

package activities

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/redact"
)

// leakText joins lines of one file and searches the text in overlapping pieces. So it finds a secret that is spread over several lines, in a
// file of any size.
type leakText struct {
	redact *redact.Redactor
	hit    func(rule, secret string, line int) // called for secrets that count

	text  []byte
	lines []lineStart
}

// lineStart is the offset of a line in the current text.
type lineStart struct{ at, line int }

// add adds a line, or the next piece of the line with that number. Pieces overlap by twice a secret's reach, for UTF-16.
func (t *leakText) add(piece []byte, line int) {
	if last := len(t.lines) - 1; last < 0 || t.lines[last].line != line {
		t.lines = append(t.lines, lineStart{len(t.text), line})
	}
	t.text = append(t.text, piece...)
	if reach := 2 * t.redact.Reach(); len(t.text) >= max(1<<20, 4*reach) {
		t.search(len(t.text) - reach)
	}
}

func (t *leakText) end() {
	if len(t.text) > 0 {
		t.search(len(t.text))
	}
	t.lines = t.lines[:0]
}

// search reports secrets that begin before cut, and drops the text up to there. Later ones are found by the next call, in full.
func (t *leakText) search(cut int) {
	text := string(t.text)
	for _, f := range t.find(text) {
		if f.Sure && f.Offset < cut {
			t.hit(f.Rule, text[f.Offset:f.Offset+f.Length], t.lines[t.lineAt(f.Offset)].line)
		}
	}
	if cut > 0 {
		t.lines = append(t.lines[:0], t.lines[t.lineAt(cut):]...)
	}
	for i := range t.lines {
		t.lines[i].at = max(0, t.lines[i].at-cut)
	}
	t.text = append(t.text[:0], t.text[cut:]...)
}

// find finds the secrets of a text, also those in UTF-16.
func (t *leakText) find(text string) []redact.Finding {
	list := t.redact.Find(text)
	narrow, at := narrowed(text)
	for _, f := range t.redact.Find(narrow) {
		first, last := int(at[f.Offset]), int(at[f.Offset+f.Length-1])
		f.Offset, f.Length = first, last+1-first
		list = append(list, f)
	}
	return list
}

// narrowed returns a text that holds UTF-16 without the NULs beside its letters, and where each byte was. Other NULs stay: they separate
// words. Without UTF-16 it returns nothing.
func narrowed(text string) (narrow string, at []int32) {
	null := func(i int) bool { return i >= 0 && i < len(text) && text[i] == 0 }
	drop := func(i int) bool { return null(i) && !null(i-1) && !null(i+1) && (null(i-2) || null(i+2)) }
	first := strings.IndexByte(text, 0)
	for first >= 0 && first < len(text) && !drop(first) {
		first++
	}
	if first < 0 || first == len(text) {
		return "", nil
	}
	bytes := make([]byte, 0, len(text))
	for i := range len(text) {
		if !drop(i) {
			bytes, at = append(bytes, text[i]), append(at, int32(i))
		}
	}
	return string(bytes), at
}

// lineAt returns the index of the line that holds the byte at offset.
func (t *leakText) lineAt(offset int) int {
	n, exact := slices.BinarySearchFunc(t.lines, offset, func(l lineStart, at int) int { return l.at - at })
	if !exact {
		n--
	}
	return n
}

// mostHeld bounds the secrets of one commit that are remembered until its end.
const mostHeld = 10_000

// commitLeaks remembers the secrets of one commit. A file that is renamed, or a line that is changed, removes and adds the same token: it is
// in the history already, so to refuse the commit would protect nothing. A value that the process holds is refused all the same.
type commitLeaks struct {
	added   []addedLeak
	removed map[secretID]bool
}

type addedLeak struct {
	leak   Leak
	secret secretID
}

type secretID [sha256.Size]byte

// idOf identifies a secret, whatever its indentation, and in UTF-16 too.
func idOf(secret string) secretID {
	return sha256.Sum256([]byte(strings.Join(strings.Fields(strings.ReplaceAll(secret, "\x00", "")), "")))
}

// add remembers a leak until the commit ends. It reports false when there are too many.
func (c *commitLeaks) add(l Leak, secret string) bool {
	if len(c.added) == mostHeld {
		return false
	}
	c.added = append(c.added, addedLeak{l, idOf(secret)})
	return true
}

func (c *commitLeaks) remove(secret string) {
	if c.removed == nil {
		c.removed = map[secretID]bool{}
	}
	if len(c.removed) < mostHeld {
		c.removed[idOf(secret)] = true
	}
}

// leaks returns those that count.
func (c *commitLeaks) leaks() (list []Leak) {
	for _, a := range c.added {
		if redact.Held(a.leak.Rule) || !c.removed[a.secret] {
			list = append(list, a.leak)
		}
	}
	return list
}

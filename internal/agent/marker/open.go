package marker

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/task"
)

// open is a marker whose opening tag was read.
type open struct {
	kind    task.MarkerKind
	raw     []byte // content after the tag, at most kept bytes
	dropped int    // bytes beyond kept
	code    code
	late    int // offset in raw of the first closing tag that seemed to be in code, or -1
}

func newOpen(kind task.MarkerKind) *open { return &open{kind: kind, code: newCode(), late: -1} }

// stop returns how many bytes of s can be added at once: up to the next tag. While it is unclear whether a closing tag is in code, it
// also stops at the end of the line, which may decide that.
func (o *open) stop(s string) int {
	i := strings.IndexByte(s, '<')
	if i < 0 {
		i = len(s)
	}
	if o.code.watched {
		if nl := strings.IndexByte(s[:i], '\n'); nl >= 0 {
			i = nl + 1
		}
	}
	return i
}

func (o *open) add(s string) {
	was := o.code.watched
	o.code.advance(s)
	if was && !o.code.watched && !o.code.broken {
		o.late = -1 // the code is complete, so the tag was part of it
	}
	fit := min(len(s), kept-len(o.raw))
	o.raw = append(o.raw, s[:fit]...)
	o.dropped += len(s) - fit
}

// sawLate records a closing tag in code, in case the code turns out to have no end.
func (o *open) sawLate() {
	if o.late >= 0 || len(o.raw)+len(o.kind)+3 > kept {
		return
	}
	o.late = len(o.raw)
	o.code.watched = true
}

// content returns the text of the marker if it ends after n bytes of raw.
func (o *open) content(n int) string {
	over := 0
	if n == len(o.raw) {
		over = o.dropped
	}
	text := cutText(o.raw[:n], Limit)
	over += n - len(text)
	if over > 0 {
		return strings.TrimSpace(string(text)) + strings.TrimRight(cutMark(over), "\n")
	}
	return strings.TrimSpace(string(text))
}

func cutMark(n int) string { return "\n[cut: " + strconv.Itoa(n) + " more bytes]\n" }

// cutText returns at most n bytes of s without cutting a character.
func cutText(s []byte, n int) []byte {
	if len(s) <= n {
		return s
	}
	for back := 0; back < utf8.UTFMax && n > 0 && !utf8.RuneStart(s[n]); back++ {
		n--
	}
	return s[:n]
}

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
	raw     []byte // what followed the tag, at most kept bytes
	dropped int    // bytes beyond that
	code    code
	late    int // where in raw the first closing tag stands that seemed to be code, or -1
}

func newOpen(kind task.MarkerKind) *open { return &open{kind: kind, code: newCode(), late: -1} }

// stop gives how far s can be added in one go: to the next tag. While a closing tag in code is in doubt, the end of the
// line may decide, so it stops there too.
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
		o.late = -1 // the code ended: the tag in it was code
	}
	fit := min(len(s), kept-len(o.raw))
	o.raw = append(o.raw, s[:fit]...)
	o.dropped += len(s) - fit
}

// sawLate remembers a closing tag in code, should the code turn out to have no end.
func (o *open) sawLate() {
	if o.late >= 0 || len(o.raw)+len(o.kind)+3 > kept {
		return
	}
	o.late = len(o.raw)
	o.code.watched = true
}

// content gives the text of the marker when it ends after n bytes of raw.
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

// cutText gives at most n bytes of s without cutting a character.
func cutText(s []byte, n int) []byte {
	if len(s) <= n {
		return s
	}
	for back := 0; back < utf8.UTFMax && n > 0 && !utf8.RuneStart(s[n]); back++ {
		n--
	}
	return s[:n]
}

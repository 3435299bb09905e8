// Package marker finds the reports that agents write into their text, such as <DONE>…</DONE>, while the text is streamed. It may import
// only task. It knows nothing of sessions, does no I/O, and never decides what a report means.
package marker

import (
	"strings"

	"github.com/longshift/longshift/task"
)

// Limit is the maximum content of a marker in bytes. Longer content is cut, with a last line that says by how much.
const Limit = 64 << 10

// kept is how many bytes of an open marker are kept. It exceeds Limit, so that a marker whose end is recognized late (see open.late) does
// not include the text after it.
const kept = 2 * Limit

// A Parser takes the text of one session in pieces, and returns the text without its markers, and the markers. The result does not depend
// on how the text is split. Its memory is bounded.
//
// A marker starts at <KIND> where the text is not code (a fence or inline code) and the tag is not quoted or part of a larger word. It
// ends at the next </KIND> that is not code. Tags of other kinds inside it are part of its content. A second <KIND> inside it shows that
// the first was only mentioned: the first becomes text, and the text after it is read again.
type Parser struct {
	allowed []task.MarkerKind
	held    string // end of the last piece that may be the start of a tag
	code    code   // position in the text outside of markers
	open    *open  // the marker that is being read
	out     []piece
}

// piece is a part of the result: text, or a marker with its raw content.
type piece struct {
	text   string
	marker *task.Marker
}

func New(role task.Role) *Parser {
	return &Parser{allowed: Allowed(role), code: newCode()}
}

// Write parses the next piece of text. It returns the text to show, without markers, and the markers that ended in it. It holds back the
// end of a piece that may belong to a marker. The caller should separate messages of an agent by a newline.
func (p *Parser) Write(text string) (visible string, markers []task.Marker) {
	p.feed(text)
	return p.take()
}

// Close ends the text and returns what was held back. A marker without an end is returned as unfinished and stays in the text; markers
// inside it are returned as markers. The parser must not be used again.
func (p *Parser) Close() (visible string, markers, unfinished []task.Marker) {
	p.release()
	for p.open != nil {
		if o := p.open; o.late < 0 {
			unfinished = append(unfinished, task.Marker{Kind: o.kind, Text: o.content(len(o.raw))})
		}
		p.giveUp()
		p.release()
	}
	visible, markers = p.take()
	return visible, markers, unfinished
}

// take returns the result so far. Text in one piece, the usual case, is not copied.
func (p *Parser) take() (visible string, markers []task.Marker) {
	if len(p.out) == 1 && p.out[0].marker == nil {
		visible = p.out[0].text
		p.out = p.out[:0]
		return visible, nil
	}
	var all []string
	for _, one := range p.out {
		if one.marker != nil {
			markers = append(markers, *one.marker)
		} else {
			all = append(all, one.text)
		}
	}
	clear(p.out)
	p.out = p.out[:0]
	return strings.Join(all, ""), markers
}

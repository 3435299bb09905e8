// Package marker finds the reports that agents make in their text, such as <DONE>…</DONE>, while the text streams in.
// It may import only task. It knows nothing of sessions, does no I/O, and never decides what a report means.
package marker

import (
	"strings"

	"github.com/longshift/longshift/task"
)

// Limit is the most that a marker may hold, in bytes. What is longer is cut, and a line at the end says by how much.
const Limit = 64 << 10

// kept is the most that is kept of a marker which is still open. It is more than Limit, so that a marker found late
// (see open.late) does not take what followed it along.
const kept = 2 * Limit

// A Parser takes the text of one session in pieces and gives back the text without its markers, and the markers.
// However the text is cut into pieces, the result is the same. Its memory is bounded.
//
// A marker starts at <KIND> where the text is not code (a fence or inline code) and the tag is not part of a larger word
// or quoted. It ends at the next </KIND> that is not code. Tags of other kinds inside it are its content. A second <KIND>
// inside it shows that the first was only mentioned: the first becomes text, and what followed it is read again.
type Parser struct {
	allowed []task.MarkerKind
	held    string // the end of the last piece, which may be the start of a tag
	code    code   // where the text outside of markers stands
	open    *open  // the marker that is being read
	ignored int
	out     []piece
}

// piece is a part of the result: text, or a marker with the raw content that it was made of.
type piece struct {
	text   string
	marker *task.Marker
}

// New makes a parser for a session in the role.
func New(role task.Role) *Parser {
	return &Parser{allowed: Allowed(role), code: newCode()}
}

// Ignored counts the markers so far that the role may not emit. They stay in the text.
func (p *Parser) Ignored() int { return p.ignored }

// Write takes the next piece of text. It gives the text to show, without markers, and the markers that ended in it.
// The end of a piece that may belong to a marker is kept back until more comes. Separate messages of an agent should be
// parted by a newline, which the caller writes.
func (p *Parser) Write(text string) (visible string, markers []task.Marker) {
	p.feed(text)
	return p.take()
}

// Close ends the text. It gives what was kept back. A marker without its end is reported as unfinished and stays in the
// text; markers that it had swallowed are given after all. The parser must not be used again.
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

// take gives the result so far. Text in one piece, as almost always, is not copied.
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

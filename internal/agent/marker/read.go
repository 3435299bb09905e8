package marker

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/task"
)

// feed parses text, starting from the parser's state.
func (p *Parser) feed(s string) {
	if p.held != "" {
		s, p.held = p.held+s, ""
	}
	from, at := 0, 0 // s[from:at] was read and not shown yet
	for at < len(s) {
		if p.open != nil {
			at = len(s) - len(p.inMarker(s[at:]))
			from = at
			continue
		}
		i := nextTag(s[at:])
		p.code.advance(s[at : at+i])
		at += i
		if at == len(s) {
			break
		}
		kind, whole := openingTag(s[at:])
		switch {
		case kind == "" || !p.code.free():
			p.code.advance(s[at : at+1])
			at++
		case !whole:
			p.show(s[from:at])
			p.held = strings.Clone(s[at:])
			return
		case !slices.Contains(p.allowed, kind):
			p.code.advance(s[at : at+len(kind)+2])
			at += len(kind) + 2
		default:
			p.show(s[from:at])
			p.open = newOpen(kind)
			at += len(kind) + 2
			from = at
		}
	}
	p.show(s[from:at])
}

// inMarker continues the open marker and returns the remaining text.
func (p *Parser) inMarker(s string) (rest string) {
	o := p.open
	if o.code.broken {
		p.giveUp()
		return s
	}
	if i := o.stop(s); i > 0 {
		o.add(s[:i])
		return s[i:]
	}
	end, start := "</"+string(o.kind)+">", "<"+string(o.kind)+">"
	switch {
	case strings.HasPrefix(s, end) && !o.code.inside():
		p.emit(o, len(o.raw))
		return s[len(end):]
	case strings.HasPrefix(s, end):
		o.sawLate()
		o.add(end)
		return s[len(end):]
	case strings.HasPrefix(s, start) && o.code.free():
		p.giveUp()
		p.release()
		return s
	case strings.HasPrefix(end, s) || strings.HasPrefix(start, s):
		p.held = strings.Clone(s)
		return ""
	}
	o.add(s[:1])
	return s[1:]
}

// giveUp ends a marker that has no end. If a closing tag seemed to be in code, the marker ends there. Otherwise its opening tag becomes
// text. The rest is read again.
func (p *Parser) giveUp() {
	o := p.open
	again := ""
	if o.late >= 0 {
		again = string(o.raw[o.late+len(o.kind)+3:])
		p.emit(o, o.late)
	} else {
		p.open = nil
		tag := "<" + string(o.kind) + ">"
		p.code.advance(tag)
		p.show(tag)
		again = string(o.raw)
	}
	p.feed(again)
	if o.dropped > 0 {
		p.release()
		p.feed(cutMark(o.dropped))
	}
}

// release returns a held piece that did not become a tag to the text.
func (p *Parser) release() {
	s := p.held
	p.held = ""
	if p.open != nil {
		p.open.add(s)
		return
	}
	p.code.advance(s)
	p.show(s)
}

// emit ends the open marker after the first n bytes of its content.
func (p *Parser) emit(o *open, n int) {
	p.open = nil
	p.out = append(p.out, piece{text: string(o.raw[:n]), marker: &task.Marker{Kind: o.kind, Text: o.content(n)}})
	p.code.afterTag()
}

func (p *Parser) show(s string) {
	if s != "" {
		p.out = append(p.out, piece{text: s})
	}
}

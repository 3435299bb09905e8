package channel

import "fmt"

// Fit splits blocks into at most parts messages. size returns the length of a block in the channel's own unit, including
// the separator after it, and must not shrink when a block grows; limit bounds the sum per message. Messages end between
// blocks where possible. A larger code block is split between lines into several complete ones, and text is split
// between words. What does not fit into parts messages is omitted, and the end of the last one says so.
func Fit(blocks []Block, size func(Block) int, limit, parts int) [][]Block {
	f := fitter{size: size, limit: limit}
	all := f.fill(blocks)
	parts = max(parts, 1)
	if len(all) <= parts {
		return all
	}
	var rest []Block
	for _, m := range all[parts-1:] {
		rest = append(rest, m...)
	}
	return append(all[:parts-1:parts-1], f.ending(rest))
}

// ending returns one message with what fits, and a note about what does not.
func (f fitter) ending(rest []Block) []Block {
	short := f
	short.limit -= f.size(leftOut(99_999)) // more than possible, so its text is the longest
	head := short.fill(rest)
	if len(head) == 0 { // no room for the note
		return rest[:1]
	}
	var left []Block
	for _, m := range head[1:] {
		left = append(left, m...)
	}
	return append(head[0], leftOut(max(1, len(f.fill(left)))))
}

func leftOut(n int) Block {
	words := fmt.Sprintf("… %d more parts were left out", n)
	if n == 1 {
		words = "… 1 more part was left out"
	}
	return Block{Kind: Paragraph, Spans: []Span{{Text: words, Italic: true}}}
}

// fitter packs blocks into messages.
type fitter struct {
	size  func(Block) int
	limit int
	out   [][]Block
	now   []Block // the current message
	used  int
}

// fill packs all blocks. A block whose smallest piece is too large is omitted.
func (f fitter) fill(blocks []Block) [][]Block {
	f.out, f.now, f.used = nil, nil, 0
	for _, b := range blocks {
		n := f.size(b)
		if n > f.limit {
			f.split(b)
			continue
		}
		if f.used+n > f.limit {
			f.flush(n)
		}
		f.add(b, n)
	}
	if len(f.now) > 0 {
		f.out = append(f.out, f.now)
	}
	return f.out
}

func (f *fitter) add(b Block, n int) { f.now, f.used = append(f.now, b), f.used+n }

// flush ends the current message. Headings at its end move to the next one, if they fit there before a block of size n.
func (f *fitter) flush(n int) {
	i, moved := len(f.now), 0
	for i > 0 && f.now[i-1].Kind == Heading {
		i--
		moved += f.size(f.now[i])
	}
	if i == 0 || moved+n > f.limit {
		i, moved = len(f.now), 0
	}
	heads := append([]Block(nil), f.now[i:]...)
	if i > 0 {
		f.out = append(f.out, f.now[:i:i])
	}
	f.now, f.used = heads, moved
}

// split packs a block that is larger than a message.
func (f *fitter) split(b Block) {
	if f.limit-f.used < f.limit/2 {
		f.flush(f.limit)
	}
	for more := true; more; {
		var piece Block
		piece, b, more = cut(b, func(p Block) bool { return f.used+f.size(p) <= f.limit })
		if n := f.size(piece); !empty(piece) {
			f.add(piece, n)
		} else if f.used == 0 {
			return // not even one character fits
		}
		if more {
			f.flush(f.limit)
		}
	}
}

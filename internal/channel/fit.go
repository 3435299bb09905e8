package channel

import "fmt"

// Fit splits blocks into at most parts messages. size gives what a block takes in the channel's own unit, with what stands between
// it and the next one, and must not fall when a block grows; limit is for the sum in one message. Messages end between blocks
// where they can. A code block that is larger than a message becomes several that are complete each, split between lines; a text
// is split between words. What parts messages can't hold is left out, and the end of the last one says so.
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

// ending gives one message of what fits, and the words about what does not.
func (f fitter) ending(rest []Block) []Block {
	short := f
	short.limit -= f.size(leftOut(99_999)) // more than there can be, so its words are the longest
	head := short.fill(rest)
	if len(head) == 0 { // no room for the words
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
	now   []Block // the message at work
	used  int
}

// fill packs all of the blocks. What is too large in its smallest piece is left out.
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

// flush ends the message. Headings at its end go along to the next one, where there is room for them before a block of size n.
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

package channel

import (
	"strings"
	"unicode/utf8"
)

// cut splits off as much of the front of a block as fits, at the end of a line of code or of a word if possible. more
// reports whether rest is not empty. An empty piece means that nothing fits.
func cut(b Block, fits func(Block) bool) (piece, rest Block, more bool) {
	if b.Kind == Code {
		return cutCode(b, fits)
	}
	return cutSpans(b, fits)
}

func empty(b Block) bool { return b.Kind != Rule && b.Code == "" && len(b.Spans) == 0 }

// most returns the largest n up to total for which ok holds. It starts with small n, so that the effort depends on what
// fits and not on total.
func most(total int, ok func(n int) bool) int {
	high := 1
	for high < total && ok(high) {
		high *= 2
	}
	low := high / 2 // holds, or is 0
	for high = min(high, total); low < high; {
		mid := (low + high + 1) / 2
		if ok(mid) {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

func cutCode(b Block, fits func(Block) bool) (piece, rest Block, more bool) {
	with := func(code string) Block {
		p := b
		p.Code = code
		return p
	}
	n := mostText(b.Code, func(s string) bool { return fits(with(s)) })
	next := n
	if i := strings.LastIndexByte(b.Code[:n], '\n'); n < len(b.Code) && b.Code[n] == '\n' {
		next = n + 1
	} else if n < len(b.Code) && i > 0 {
		n, next = i, i+1
	}
	return with(b.Code[:n]), with(b.Code[next:]), next < len(b.Code)
}

// mostText returns the length in bytes of the longest prefix for which ok holds. It does not split characters.
func mostText(s string, ok func(s string) bool) int {
	whole := func(n int) int {
		for n < len(s) && n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		return n
	}
	return whole(most(len(s), func(n int) bool { return ok(s[:whole(n)]) }))
}

func cutSpans(b Block, fits func(Block) bool) (piece, rest Block, more bool) {
	total := 0
	for _, s := range b.Spans {
		total += len(s.Text)
	}
	with := func(spans []Span) Block {
		p := b
		p.Spans = spans
		return p
	}
	n := most(total, func(n int) bool { front, _ := cutAt(b.Spans, n); return fits(with(front)) })
	if n < total {
		n = wordEnd(b.Spans, n)
	}
	front, back := cutAt(b.Spans, n)
	rest = with(trim(back))
	if n > 0 && rest.Kind == Item {
		rest = Block{Kind: Paragraph, Spans: rest.Spans} // a continuation, without the list mark
	}
	return with(trim(front)), rest, len(rest.Spans) > 0
}

// cutAt splits spans after n bytes, or before a character that this would split.
func cutAt(spans []Span, n int) (front, back []Span) {
	for i, s := range spans {
		if n >= len(s.Text) {
			n -= len(s.Text)
			continue
		}
		for n > 0 && !utf8.RuneStart(s.Text[n]) {
			n--
		}
		front = append(front, spans[:i]...)
		first := s
		if first.Text = s.Text[:n]; n > 0 {
			front = append(front, first)
		}
		s.Text = s.Text[n:]
		return front, append([]Span{s}, spans[i+1:]...)
	}
	return append(front, spans...), nil
}

// wordEnd returns the last word boundary up to n, or n if there is none.
func wordEnd(spans []Span, n int) int {
	best, at := 0, 0
	for _, s := range spans {
		if at > n {
			break
		}
		if i := strings.LastIndexAny(s.Text[:min(len(s.Text), n-at+1)], " \n"); i >= 0 {
			best = at + i
		}
		at += len(s.Text)
	}
	if best == 0 {
		return n
	}
	return best
}

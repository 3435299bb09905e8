package redact

import (
	"slices"
	"strings"
	"sync"
)

const (
	leastReach = 16 << 10 // bytes; also the longest token found by its format
	// segment is the minimum number of bytes searched at a time, small enough to stay in the processor's cache.
	segment = 256 << 10
	// before is how many bytes before a segment are searched again, for rules that check what precedes a token.
	before = 32
)

// scratch holds reused buffers.
type scratch struct {
	text, letters []byte
	places        []place
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

// find returns what to hide, in order and without overlaps.
func (x *index) find(text string) []span {
	s := scratches.Get().(*scratch)
	defer scratches.Put(s)
	var found []span
	size := max(segment, 4*x.reach)
	for base := 0; ; base += size - x.reach {
		from, to := max(0, base-before), min(base+size, len(text))
		s.text = append(s.text[:0], text[from:to]...)
		last := to == len(text)
		x.search(s, func(f span) {
			f.start, f.end = f.start+from, f.end+from
			if f.start < base || !last && f.end == to && f.start > to-x.reach {
				return // the previous segment has found it, or the next one will
			}
			found = append(found, f)
		})
		if last {
			break
		}
	}
	held := map[int]bool{} // positions where values are already known to begin
	for _, f := range found {
		if f.exact {
			held[f.start] = true
		}
	}
	found = slices.DeleteFunc(found, func(f span) bool {
		guess := !strings.HasPrefix(f.rule, rulePlain) && f.name == ""
		return text[f.start:f.end] == Mark || guess && held[f.start]
	})
	for i := range found {
		found[i].widen(text)
	}
	return merge(found)
}

// search searches one segment.
func (x *index) search(s *scratch, hit func(span)) {
	x.plain.each(s.text, func(n, at int) {
		t, end := x.plainIs[n], at+len(x.plain.patterns[n])
		if t.parts {
			at, end = t.spread(s.text, at)
		}
		switch {
		case t.word && (joined(s.text, at) || joined(s.text, end)):
		case t.name != "" && !standsAlone(s.text, at, end):
		default:
			hit(span{start: at, end: end, rule: t.rule, name: t.name, sure: t.name == "", exact: t.rule == rulePlain})
		}
	})
	if x.letters != nil {
		s.letters = squeeze(s.letters, s.text)
		if x.letters.any(s.letters) {
			s.letters, s.places = squeezePlaces(s.letters, s.places, s.text)
			x.locate(s, hit)
		}
		if escaped(s.text) {
			s.letters, s.places = unescape(s.letters, s.places, s.text, false)
			if x.letters.any(s.letters) {
				s.letters, s.places = unescape(s.letters, s.places, s.text, true)
				x.locate(s, hit)
			}
		}
	}
	tokens(s.text, hit)
}

// locate returns the spans of matches in squeezed text.
func (x *index) locate(s *scratch, hit func(span)) {
	x.letters.each(s.letters, func(n, at int) {
		t := x.lettersIs[n]
		if t.parts {
			first, last := t.spread(s.letters, at)
			hit(span{start: int(s.places[first].start), end: int(s.places[last-1].end), rule: t.rule, sure: true})
			return
		}
		start, end := int(s.places[at].start), int(s.places[at+len(x.letters.patterns[n])-1].end)
		start, end = whole(s.text, start, end, t.value)
		f := span{start: start, end: end, rule: t.rule, sure: true}
		if t.rule == rulePlain && string(s.text[start:end]) != t.value {
			f.rule = ruleSplit
			if t.ifCut && !cut(s.text[start:end], t.value) {
				return
			}
		}
		hit(f)
	})
}

// whole adds the leading and trailing characters of a value that squeezed text lacks.
func whole(text []byte, start, end int, value string) (int, int) {
	isLetter := func(c rune) bool { return c < 128 && letter[c] == 1 }
	first, last := strings.IndexFunc(value, isLetter), strings.LastIndexFunc(value, isLetter)
	if first > 0 && start >= first && string(text[start-first:start]) == value[:first] {
		start -= first
	}
	if rest := value[last+1:]; last >= 0 && len(text)-end >= len(rest) && string(text[end:end+len(rest)]) == rest {
		end += len(rest)
	}
	return start, end
}

// cut reports whether text looks like a value cut into pieces, rather than words that happen to follow each other.
func cut(text []byte, value string) bool {
	gaps, inGap := 0, false
	for _, c := range text {
		if c >= 0x80 || c == 0x1b || c == '\n' || c == '"' || c == '\'' || c == '\\' || c == '`' {
			return true
		}
		if letter[c] == 0 && !inGap {
			gaps++
		}
		inGap = letter[c] == 0
	}
	own := 0
	for i := 1; i < len(value); i++ {
		if letter[value[i]] == 0 && letter[value[i-1]] == 1 {
			own++
		}
	}
	return gaps >= own+3
}

// joined reports whether a word continues across this position.
func joined(text []byte, at int) bool {
	part := func(c byte) bool { return letter[c] == 1 || c == '_' }
	return at > 0 && at < len(text) && part(text[at-1]) && part(text[at])
}

// Finding is the position of a secret in a text. It never contains the secret itself.
type Finding struct {
	Rule   string // name of the rule, such as "held-value:base64" or "github-token"
	Offset int    // bytes from the start of the text
	Length int    // bytes
	Line   int    // from 1
	// Sure means that the finding alone justifies stopping a push: a value that this process holds, or a real token of a
	// known service. Placeholders, examples and formats common in tests are hidden, but not sure.
	Sure bool
}

// Find returns every secret in the text, in order. It does not return folders.
func (r *Redactor) Find(text string) []Finding {
	var list []Finding
	line, at := 1, 0
	for _, f := range r.now().find(text) {
		line, at = line+strings.Count(text[at:f.start], "\n"), f.start
		if f.name == "" {
			list = append(list, Finding{Rule: f.rule, Offset: f.start, Length: f.end - f.start, Line: line, Sure: f.sure})
		}
	}
	return list
}

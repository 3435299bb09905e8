package redact

import "bytes"

// matcher finds many strings in one pass, after Wu and Manber. It looks at the end of a window as long as the shortest
// string and skips as far as the last bytes there allow: two bytes, or three if all strings are long enough for longer
// skips.
type matcher struct {
	least    int              // length of the shortest pattern, at least 2
	three    bool             // keys have three bytes instead of two
	jump     []uint8          // by key
	ends     map[uint32][]int // patterns by the key at offset least
	patterns []string
}

const (
	keys2 = 1 << 16
	keys3 = 1 << 18
	// longEnough is the length of the shortest pattern from which keys have three bytes.
	longEnough = 7
)

// newMatcher builds a matcher for patterns of two bytes or more. It returns nil for none.
func newMatcher(patterns []string) *matcher {
	if len(patterns) == 0 {
		return nil
	}
	m := &matcher{least: 256, ends: map[uint32][]int{}, patterns: patterns}
	for _, p := range patterns {
		m.least = min(m.least, len(p))
	}
	block, keys := 2, keys2
	if m.three = m.least >= longEnough; m.three {
		block, keys = 3, keys3
	}
	m.jump = bytes.Repeat([]byte{uint8(m.least - block + 1)}, keys)
	for n, p := range patterns {
		for end := block; end <= m.least; end++ {
			key := m.key(p, end)
			m.jump[key] = min(m.jump[key], uint8(m.least-end))
		}
		key := m.key(p, m.least)
		m.ends[key] = append(m.ends[key], n)
	}
	return m
}

func (m *matcher) key(p string, end int) uint32 {
	if m.three {
		return key3(p[end-3], p[end-2], p[end-1])
	}
	return key2(p[end-2], p[end-1])
}

func key2(a, b byte) uint32 { return uint32(a) | uint32(b)<<8 }

// key3 hashes three bytes; a collision only costs a comparison.
func key3(a, b, c byte) uint32 {
	return (uint32(a)<<16 | uint32(b)<<8 | uint32(c)) * 0x9e3779b1 >> (32 - 18)
}

// each calls hit for every occurrence of every pattern.
func (m *matcher) each(text []byte, hit func(pattern, at int)) {
	if m == nil {
		return
	}
	for i := m.least - 1; i < len(text); {
		var key uint32
		if m.three {
			key = key3(text[i-2], text[i-1], text[i])
		} else {
			key = key2(text[i-1], text[i])
		}
		if jump := m.jump[key]; jump > 0 {
			i += int(jump)
			continue
		}
		at := i - m.least + 1
		for _, n := range m.ends[key] {
			if p := m.patterns[n]; len(text)-at >= len(p) && string(text[at:at+len(p)]) == p {
				hit(n, at)
			}
		}
		i++
	}
}

// any reports whether a pattern occurs.
func (m *matcher) any(text []byte) bool {
	found := false
	m.each(text, func(int, int) { found = true })
	return found
}

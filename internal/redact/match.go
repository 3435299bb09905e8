package redact

// matcher finds many strings in one pass. It looks at the end of a window as long as its shortest string and jumps as far as
// the two bytes there allow, after Wu and Manber.
type matcher struct {
	least    int // bytes of the shortest pattern, at least 2
	jump     [1 << 16]uint8
	ends     map[uint16][]int // patterns by the last two bytes of their first least bytes
	patterns []string
}

// newMatcher takes patterns of two bytes or more. It gives nil for none.
func newMatcher(patterns []string) *matcher {
	if len(patterns) == 0 {
		return nil
	}
	m := &matcher{least: 256, ends: map[uint16][]int{}, patterns: patterns}
	for _, p := range patterns {
		m.least = min(m.least, len(p))
	}
	for i := range m.jump {
		m.jump[i] = uint8(m.least - 1)
	}
	for n, p := range patterns {
		for i := 1; i < m.least; i++ {
			pair := pairOf(p[i-1], p[i])
			m.jump[pair] = min(m.jump[pair], uint8(m.least-1-i))
		}
		pair := pairOf(p[m.least-2], p[m.least-1])
		m.ends[pair] = append(m.ends[pair], n)
	}
	return m
}

func pairOf(a, b byte) uint16 { return uint16(a) | uint16(b)<<8 }

// each calls hit for every place of every pattern.
func (m *matcher) each(text []byte, hit func(pattern, at int)) {
	if m == nil {
		return
	}
	for i := m.least - 1; i < len(text); {
		pair := pairOf(text[i-1], text[i])
		if jump := m.jump[pair]; jump > 0 {
			i += int(jump)
			continue
		}
		at := i - m.least + 1
		for _, n := range m.ends[pair] {
			if p := m.patterns[n]; len(text)-at >= len(p) && string(text[at:at+len(p)]) == p {
				hit(n, at)
			}
		}
		i++
	}
}

// any tells whether there is a place at all.
func (m *matcher) any(text []byte) bool {
	found := false
	m.each(text, func(int, int) { found = true })
	return found
}

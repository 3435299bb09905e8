package github

import (
	"context"
	"crypto/sha256"
	"net/url"
	"sync"
)

// mostRemembered bounds the pages that a forge keeps. A list of 10 000 issues has 100 of them, each of less than 80 KiB.
const mostRemembered = 128

// memory keeps what answers said, each with GitHub's tag for it: GitHub then need not say it again, and counts no call. The page that
// was not asked for the longest time goes first.
type memory struct {
	mu    sync.Mutex
	round uint64
	pages map[[sha256.Size]byte]*leaf
}

type leaf struct {
	used  uint64
	tag   string
	value any
	next  url.Values
}

// read is a page as it is now.
type read[V any] struct {
	value V
	next  url.Values
}

// remembered reads from a path and keeps what keep makes of the answer, which must not be changed; as names what keep looks at besides.
// The tag of a list's page is that of its entries: behind a page that is full and the last one another may follow, and the tag would
// stay. Such a page is not kept.
func remembered[T, V any](ctx context.Context, s *session, what, path, as string, keep func(T) (v V, full bool)) (read[V], error) {
	key := sha256.Sum256([]byte(s.key + "\x00" + path + "\x00" + as)) // no token stays behind
	old := s.memory.at(key)
	value, fits := any(nil), false
	if old != nil {
		value = old.value
		_, fits = value.(V)
	}
	tag := ""
	if fits {
		tag = old.tag
	}
	a, err := get[T](ctx, s, what, path, tag)
	switch {
	case err != nil:
		return read[V]{}, err
	case a.unchanged:
		return read[V]{value.(V), old.next}, nil
	}
	v, full := keep(a.value)
	p := read[V]{v, nextPage(a.header)}
	if a.tag != "" && !(full && len(p.next) == 0) {
		s.memory.put(key, &leaf{tag: a.tag, value: p.value, next: p.next})
	}
	return p, nil
}

func (m *memory) at(key [sha256.Size]byte) *leaf {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.pages[key]
	if p != nil {
		m.round++
		p.used = m.round
	}
	return p
}

func (m *memory) put(key [sha256.Size]byte, p *leaf) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pages == nil {
		m.pages = map[[sha256.Size]byte]*leaf{}
	}
	m.round++
	p.used = m.round
	m.pages[key] = p
	for len(m.pages) > mostRemembered {
		oldest := key
		for k, q := range m.pages {
			if q.used < m.pages[oldest].used {
				oldest = k
			}
		}
		delete(m.pages, oldest)
	}
}

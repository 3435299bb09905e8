package github

import (
	"context"
	"crypto/sha256"
	"net/url"
	"sync"
)

// mostRemembered limits the pages that a forge keeps. A list of 10 000 issues has 100 pages of less than 80 KiB each.
const mostRemembered = 128

// memory keeps the content of answers with their ETags, so that an unchanged page costs nothing of the rate limit. It drops the least
// recently used page first.
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

// read is the current content of a page.
type read[V any] struct {
	value V
	next  url.Values
}

// remembered reads a path and remembers what keep returns for the answer, which must not be changed. as names what else keep depends
// on. It does not remember a last page that is full: another page may follow it without changing its tag.
func remembered[T, V any](
	ctx context.Context, m *memory, s *session, what, path, as string, keep func(T) (v V, full bool),
) (read[V], error) {
	key := sha256.Sum256([]byte(s.who + "\x00" + path + "\x00" + as)) // a hash, so that no token is kept
	old := m.at(key)
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
		m.put(key, &leaf{tag: a.tag, value: p.value, next: p.next})
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

package httpguard

import "sync"

// places limits what unknown callers can occupy at a time to n places. When all are taken, a new caller displaces the
// oldest place of the caller who holds the most. So no number of slow requests locks others out: callers with many
// places lose first, and where all share one address, behind a proxy, the slowest do.
type places struct {
	n     int
	mu    sync.Mutex
	count int
	ever  uint64
	held  map[string][]*place // by caller, oldest first
}

type place struct {
	of     *places
	caller string
	since  uint64
	lose   func()
}

func newPlaces(n int) *places { return &places{n: n, held: map[string][]*place{}} }

// take returns a place. lose is called if the place is displaced, never after leave. It must not block or call places.
func (p *places) take(caller string, lose func()) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ever++
	one := &place{p, caller, p.ever, lose}
	p.held[caller] = append(p.held[caller], one)
	if p.count++; p.count > p.n {
		loser := p.loser()
		p.drop(loser)
		loser.lose()
	}
	return one
}

func (p *places) loser() *place {
	var most []*place
	for _, all := range p.held {
		if len(all) > len(most) || len(all) == len(most) && all[0].since < most[0].since {
			most = all
		}
	}
	return most[0]
}

// leave releases a place. It does nothing if the place was released or displaced before.
func (o *place) leave() {
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	o.of.drop(o)
}

func (p *places) drop(one *place) {
	all := p.held[one.caller]
	for i, o := range all {
		if o != one {
			continue
		}
		p.count--
		if len(all) == 1 {
			delete(p.held, one.caller)
		} else {
			p.held[one.caller] = append(all[:i:i], all[i+1:]...)
		}
		return
	}
}

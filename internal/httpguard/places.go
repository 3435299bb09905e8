package httpguard

import "sync"

// places are what strangers may hold open at the same time: n of them. When all are taken, a newcomer gets one nevertheless, and it is
// taken from the caller who holds the most, the one held for longest. So no number of slow calls keeps others out: who has many
// pays first, and where all have one address, behind a proxy, the slowest do.
type places struct {
	n     int
	mu    sync.Mutex
	count int
	ever  uint64
	held  map[string][]*place // by caller, the oldest first
}

type place struct {
	of     *places
	caller string
	since  uint64
	lose   func()
}

func newPlaces(n int) *places { return &places{n: n, held: map[string][]*place{}} }

// take gives a place. lose is called when it is taken away, and never after leave; it must not wait, nor come back here.
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

// leave gives a place back. To do so again, or after it was lost, does nothing.
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

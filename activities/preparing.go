package activities

import (
	"context"
	"sync"
)

// How many workspaces a host makes at the same time. Of one repository it is fewer: its first fetch may take hours, and the others wait for that.
const (
	mostPrepared         = 32
	mostPreparedTogether = 8 // of one repository
)

// preparing bounds how many workspaces are made at once, each by a git that may need much memory. What waits here holds nothing else.
type preparing struct {
	mu   sync.Mutex
	of   map[string]*slots // by repository
	host slots
}

func newPreparing() *preparing {
	return &preparing{of: map[string]*slots{}, host: slots{limit: mostPrepared}}
}

// enter waits until a workspace of the repository may be made, and returns leave, which the caller calls when it is.
func (p *preparing) enter(ctx context.Context, repository string) (leave func(), err error) {
	one := p.repository(repository)
	if err := one.wait(ctx, Precedence{}, func() {}); err != nil {
		return nil, err
	}
	if err := p.host.wait(ctx, Precedence{}, func() {}); err != nil {
		one.release()
		return nil, err
	}
	return func() { p.host.release(); one.release() }, nil
}

func (p *preparing) repository(name string) *slots {
	p.mu.Lock()
	defer p.mu.Unlock()
	one, ok := p.of[name]
	if !ok {
		one = &slots{limit: mostPreparedTogether}
		p.of[name] = one
	}
	return one
}

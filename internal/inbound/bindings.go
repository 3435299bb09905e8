package inbound

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// bindings caches the bound chats that the Directory knows. It is safe for concurrent use.
type bindings struct {
	server server
	log    *slog.Logger
	now    func() time.Time

	lock sync.Mutex
	all  []signals.Binding
	err  error
	at   time.Time
}

// bindingsAge is the age at which an answer of the Directory expires. A binding that was removed counts no longer than that.
const bindingsAge = 3 * time.Second

// get returns the bindings. When no Directory runs there are none.
func (b *bindings) get(ctx context.Context) ([]signals.Binding, error) {
	b.lock.Lock() // one query serves all callers that wait
	defer b.lock.Unlock()
	if age := b.now().Sub(b.at); !b.at.IsZero() && age >= 0 && age < bindingsAge {
		return b.all, b.err
	}
	var all []signals.Binding
	err := b.server.query(ctx, signals.DirectoryID, "", signals.QueryBound, true, &all)
	switch fault.KindOf(err) {
	case "":
	case fault.NotFound:
		all, err = nil, nil
	case fault.Work:
		b.log.Error("the directory of bound chats does not answer; nobody counts as bound", "error", err)
		all, err = nil, nil
	default:
		all = nil
		if ctx.Err() != nil { // the caller has gone, which says nothing about the Directory
			return nil, err
		}
	}
	b.all, b.err, b.at = all, err, b.now()
	return all, err
}

// expire makes the next call of get ask the Directory.
func (b *bindings) expire() {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.at = time.Time{}
}

package activities

import (
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
)

const (
	// newsWithin is how long it may take until all tasks know that an account is used up. Their workflows ask before each session.
	newsWithin = time.Minute
	// longestRefusal is how long a refusal counts at most: also when the API does not say when the account has quota again, or names a later time.
	longestRefusal = time.Hour
)

// refusals are the refusals of models whose account is used up, by agent and model. A session that was meant for the account before its task
// could know takes the refusal of the session before it, and spares the account its own.
type refusals struct {
	mu sync.Mutex
	of map[[2]string]refusal
}

type refusal struct {
	at  time.Time
	res SessionResult
}

// note records how a session ended. One that began after a refusal and was completed ends it.
func (r *refusals) note(in SessionInput, began, now time.Time, res SessionResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := [2]string{in.Agent, in.Model}
	switch res.Kind {
	case agent.Quota:
		if r.of == nil {
			r.of = map[[2]string]refusal{}
		}
		r.of[key] = refusal{now, SessionResult{Kind: res.Kind, Error: res.Error, Reset: res.Reset}}
	case agent.Completed:
		if was, ok := r.of[key]; ok && began.After(was.at) {
			delete(r.of, key)
		}
	}
}

// spare returns the refusal that a session takes over which came to this host at that time. A session that is asked for again is to ask the
// account again: a person wants that, or the time has come.
func (r *refusals) spare(in SessionInput, came, now time.Time) (SessionResult, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	was, ok := r.of[[2]string{in.Agent, in.Model}]
	end := was.at.Add(longestRefusal)
	if reset := was.res.Reset; !reset.IsZero() && reset.Before(end) {
		end = reset
	}
	return was.res, ok && in.Ask == 1 && came.Before(was.at.Add(newsWithin)) && now.Before(end)
}

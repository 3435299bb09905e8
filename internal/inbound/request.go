package inbound

import "time"

// request is what a person asks for.
type request struct {
	verb, task string
	firstRun   string // of the task, when another run under the same id is not meant; empty for any
	delivery   string // identifies the request: a task counts one delivery once
}

// of is the same request for a task.
func (r request) of(t target) request {
	r.task, r.firstRun = t.id, t.firstRun
	return r
}

// refusal is the error of a request that is not carried out. It is answered, and goes into the audit log.
type refusal struct {
	request  request
	reason   string // for the audit log
	text     string // Markdown for the person
	cause    error  // rendered as the reason and the text when these are empty
	lasting  bool   // the event is refused again when it is delivered again, whatever has become possible since
	stranger bool   // by a person without rights: the audit log takes one line a minute
}

func (r *refusal) Error() string {
	if r.reason == "" && r.cause != nil {
		return r.cause.Error()
	}
	return r.reason
}

func (r request) refuse(reason, text string) *refusal {
	return &refusal{request: r, reason: reason, text: text}
}

// refuseStranger is a refusal that can be provoked by everybody, so that the audit log takes few of them.
func (r request) refuseStranger(reason, text string) *refusal {
	return &refusal{request: r, reason: reason, text: text, stranger: true}
}

// invalid refuses a request because of an error in the command itself.
func (r request) invalid(err error) *refusal { return &refusal{request: r, cause: err} }

// failed turns an error into a lasting refusal, or returns it as it is when the event has to be delivered again.
func (r request) failed(err error) error {
	if !final(err) {
		return err
	}
	return &refusal{request: r, cause: err, lasting: true}
}

// Bounds on the age of requests that change something. Platforms deliver again for hours, and what a person wanted then may be wrong now.
// Requests on a forge wait for the next poll, so they may be older.
const (
	maxAgeInChat  = 15 * time.Minute
	maxAgeOnForge = 24 * time.Hour
)

// expired reports whether an event is older than its bound. Events without a time are new.
func expired(at, now time.Time, bound time.Duration) bool { return !at.IsZero() && now.Sub(at) > bound }

// cameLate is the reason of refusals of expired requests.
const cameLate = "that came late"

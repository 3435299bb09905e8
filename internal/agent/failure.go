package agent

import "time"

// Failure is how a call of a model has ended that gave no answer, as far as it decides how the session goes on. What the network or the
// vendor's servers do for a moment is no Failure: such a call is made again.
type Failure struct {
	Kind  OutcomeKind // Quota, AuthFailed or Errored
	Text  string
	Reset time.Time // for Quota: when it is available again; zero if unknown

	TooLong bool // for Errored: the conversation is longer than the model takes
}

// Throttled is an answer of "too many requests" that says nothing of a quota. It may be over in a moment: who gets it again and again takes it for a
// quota that is used up.
type Throttled struct{ Err error }

func (t *Throttled) Error() string { return t.Err.Error() }

func (t *Throttled) Unwrap() error { return t.Err }

func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Text }

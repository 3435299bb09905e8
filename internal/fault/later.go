package fault

import (
	"fmt"
	"time"
)

// Later is an error that says when to come back: a platform has asked for a wait that is too long to sit out in the call. The error
// inside is a fault of kind Infra.
type Later struct {
	After time.Duration
	Err   error
}

// Error gives the reason and the wait.
func (e *Later) Error() string {
	return fmt.Sprintf("%v (again in %s)", e.Err, e.After.Round(time.Second))
}

// Unwrap gives the reason.
func (e *Later) Unwrap() error { return e.Err }

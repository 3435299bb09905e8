package forge

import (
	"fmt"
	"time"
)

// RetryAfter is an error that says when to come back: the forge has asked for a wait that is too long to sit out in the call.
// The error inside is a fault of kind Infra.
type RetryAfter struct {
	After time.Duration
	Err   error
}

// Error gives the reason and the wait.
func (e *RetryAfter) Error() string {
	return fmt.Sprintf("%v (again in %s)", e.Err, e.After.Round(time.Second))
}

// Unwrap gives the reason.
func (e *RetryAfter) Unwrap() error { return e.Err }

// RetryIn says when to come back.
func (e *RetryAfter) RetryIn() time.Duration { return e.After }

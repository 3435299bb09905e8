//go:build race

package guard

import "os"

// Plain is the program that becomes guards and inits in place of this one: the worker, built without the race detector, starts in a third of
// the time. It is "" where this one does.
func Plain() string { return os.Getenv("LONGSHIFT_PLAIN") }

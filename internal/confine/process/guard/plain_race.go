//go:build race

package guard

import "os"

// Plain is the path of a program that is started as guard and as init in place of this one, "" for none. Tests give the worker's: built without
// the race detector, it starts in a third of the time.
func Plain() string { return os.Getenv("LONGSHIFT_PLAIN") }

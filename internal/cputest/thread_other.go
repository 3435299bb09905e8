//go:build !linux

package cputest

import "time"

var begin = time.Now()

// ofThread is the time that passes, where a thread can't be asked for its own.
func ofThread() time.Duration { return time.Since(begin) }

package cputest

import (
	"time"

	"golang.org/x/sys/unix"
)

func ofThread() time.Duration {
	var use unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &use); err != nil {
		panic(err) // this thread is there
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// ends are what is to be ended and removed, the last first.
type ends struct {
	mu  sync.Mutex
	all []func()
}

func (e *ends) add(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, f)
}

// run ends what there is. Whoever else wants that waits meanwhile.
func (e *ends) run() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for len(e.all) > 0 {
		last := e.all[len(e.all)-1]
		e.all = e.all[:len(e.all)-1]
		last()
	}
}

// whenTold runs them when this process is told to end: its folders would stay.
func (e *ends) whenTold() (stop func()) {
	told, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(told, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-told:
			e.run()
			os.Exit(1)
		case <-ended:
		}
	}()
	return func() { signal.Stop(told); close(ended) }
}

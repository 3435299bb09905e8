package process

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process/tree"
)

// TestCatchUp: a list of processes that others have come after is brought up to date, without a new walk and without their threads.
func TestCatchUp(t *testing.T) {
	last := lastPid()
	s, err := tree.Take()
	if err != nil {
		t.Fatal(err)
	}
	p := mustStart(t, t.Context(), Spec{Path: "/bin/cat", StdinPipe: true})
	threads, done := make(chan int), make(chan struct{})
	defer close(done)
	for range 100 { // more than there are by now
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the function
			threads <- syscall.Gettid()
			<-done
		}()
	}
	var ids []int
	for range 100 {
		ids = append(ids, <-threads)
	}
	if !catchUp(s, last, time.Now().Add(10*time.Second)) {
		t.Fatal("it was not brought up to date")
	}
	if now, err := tree.LookUp(p.Pid()); err != nil || s[p.Pid()] != now {
		t.Errorf("%v in place of %v: %v", s[p.Pid()], now, err)
	}
	for _, id := range ids {
		if _, listed := s[id]; listed && id != os.Getpid() {
			t.Errorf("thread %d is listed", id)
		}
	}
	if catchUp(s, lastPid()+1, time.Now().Add(10*time.Second)) {
		t.Error("it is up to date where ids have begun anew")
	}
}

// TestStateSeesOneThatForksOn: a process that leaves only a child, again and again, is seen by each look that is of one moment.
func TestStateSeesOneThatForksOn(t *testing.T) {
	s := bash(`read; f() { f & }; f; exec cat`)
	s.StdinPipe, s.Grace = true, -1
	p := mustStart(t, t.Context(), s)
	before, err := p.State(10 * time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Stdin().Write([]byte("go\n")); err != nil {
		t.Fatal(err)
	}
	for seen := 0; seen < 50; {
		now, err := p.State(10 * time.Second)
		if err == nil {
			err = now.Since(before)
		}
		switch {
		case err != nil:
			seen++
		case seen > 0:
			t.Fatalf("seen %d times, and then no more", seen)
		}
	}
}

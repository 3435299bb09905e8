package lab

import (
	"net/http"
	"strings"

	"github.com/longshift/longshift/internal/agent/agenttest"
)

// FailWhile lets a turn fail for as long as the condition holds. The fault is made for each call, so that it can tell the time.
func FailWhile(t *agenttest.Turn, bad func() bool, fault func() agenttest.Fault) {
	f := fault()
	t.Fault = &f
	before := t.Before
	t.Before = func(c *agenttest.Call) {
		if before != nil {
			before(c)
		}
		tries := -1 // no try is below it: the turn is answered
		if bad() {
			tries = c.Try
		}
		f = fault()
		f.Times = tries
	}
}

// FailGit lets requests of git's smart protocol fail: f gives the status to answer with, or 0 to serve the request.
func (s *Stage) FailGit(f func(service string) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gitFault = f
}

func (s *Stage) gitStatus(r *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gitFault == nil || r.Method != http.MethodPost {
		return 0
	}
	return s.gitFault(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:])
}

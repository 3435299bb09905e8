package activities

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// A session whose writes are all refused may still report that it is done, and the work would be lost. So a session that has to write does
// not begin, and a person is asked. Results of finished sessions are still returned.
func TestNoWorkWhereWritingIsOff(t *testing.T) {
	t.Parallel()
	p := says("<DONE>fix: the sum</DONE>")
	b := newBench(t, map[string]agent.Agent{"script": p})
	b.prepare()
	finished := b.session(task.Implementer, "script")
	_, err := b.attempt().session(b.Sessions, finished)
	must(t, err)
	b.Policy.WriteOff = true
	b.start()
	next := b.session(task.Implementer, "script")
	next.ID, next.N = "00000000-0000-4000-8000-000000000002", 2
	_, err = b.attempt().session(b.Sessions, next)
	app := applicationError(t, err)
	if app.Type() != string(fault.Denied) || !app.NonRetryable() || !strings.Contains(app.Message(), "writing is switched off") {
		t.Errorf("the session began: %v", err)
	}
	if res, err := b.attempt().session(b.Sessions, finished); err != nil || res.Kind != agent.Completed {
		t.Errorf("the result of what was finished: %+v, %v", res, err)
	}
	if n := len(p.sessions()); n != 1 {
		t.Errorf("the agent ran %d times", n)
	}
	look := b.session(task.Reviewer, "script")
	look.ID, look.N = "00000000-0000-4000-8000-000000000003", 3
	if _, err := b.attempt().session(b.Sessions, look); err != nil || len(p.sessions()) != 2 {
		t.Errorf("a session that only reads: %v", err)
	}
}

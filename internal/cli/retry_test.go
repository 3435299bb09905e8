package cli

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// What an intake has started is tried again for the person who says so: its source has seen the end of it, and is not asked once more.
// What the person adds is checked as every text of a task is.
func TestRetryIsAPersons(t *testing.T) {
	address, data := useServer(t)
	c := newConsole(t, "TEMPORAL_ADDRESS="+address, "LONGSHIFT_DATA="+data, "HOME="+t.TempDir(), "USER=ann")
	f := c.factory()
	defer f.close()
	server, err := f.server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in := task.Input{Repository: "acme/web", Task: "fail please", RequestedBy: &task.Person{Name: "bob", Via: "linear"},
		Issue:  &task.Issue{Forge: "linear", Number: 12, Key: "ENG-12"},
		Origin: &task.Origin{Intake: "web", Source: "linear", Key: "ENG-12", Guard: &task.Guard{Sessions: 1, PauseIfOpenPR: true}}}
	if _, err := f.tasks.Start(t.Context(), server, "from-linear", in); err != nil {
		t.Fatal(err)
	}
	_ = server.GetWorkflow(t.Context(), "from-linear", "").Get(t.Context(), nil)
	if code := c.run("retry", "from-linear", "--id", "from-ann", "--detach"); code != 0 {
		t.Fatalf("exit code %d: %s", code, c.Errs.String())
	}
	code := c.run("retry", "from-linear", "--tell", "use sk-very-secret", "--detach")
	if code != fault.ExitUsage || !strings.Contains(c.Errs.String(), "--tell holds a token") {
		t.Errorf("a token that is told ends with exit code %d: %s", code, c.Errs.String())
	}
	again, err := tasks.InputOf(t.Context(), server, tasks.Found{ID: "from-ann"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := task.ParseInput(again)
	if err != nil || got.Origin != nil || got.RequestedBy.Name != "ann" || got.Issue.Key != "ENG-12" {
		t.Errorf("the input is %s, %v", again, err)
	}
}

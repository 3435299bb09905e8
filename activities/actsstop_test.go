package activities

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// TestNativeFileToolIsCalledAgain: the model is not told that a search was too wide which the stop of the worker has cut off.
func TestNativeFileToolIsCalledAgain(t *testing.T) {
	b := newBench(t, nil)
	b.prepare()
	for n := range 3000 {
		must(t, os.WriteFile(filepath.Join(b.work(), fmt.Sprintf("f%d.txt", n)), []byte("needle\n"), 0o600))
	}
	r := b.begins(task.Implementer, []transcript.Call{calling("search", `{"pattern":"no such text"}`)})
	r.open()
	r.turn(0)
	run := RunInput{Act: r.act(), Calls: 1}
	first := r.attempt()
	close(first.stop)
	if err := first.run(r.host.Acts.RunTools, run, nil); err == nil {
		t.Log("the search was quicker than the stop")
	} else if app := applicationError(t, err); app.Type() != string(fault.Stopping) {
		t.Fatalf("the act that was cut off ended with %v", app)
	}
	b.start()
	var made ActResult
	must(t, r.attempt().run(r.host.Acts.RunTools, run, &made))
	r.head = made.Head
	if got := r.results(); len(got) != 1 || got[0].Failed {
		t.Errorf("the model is told %+v", got)
	}
}

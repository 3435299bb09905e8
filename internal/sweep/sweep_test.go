package sweep

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// spaces is a fake of the workspaces that records removals.
type spaces struct {
	unsaved map[string]string
	alone   map[string]bool
	removed []string
	asked   int

	removing func() // called by each removal; nil for nothing
}

func (s *spaces) Unsaved(_ context.Context, id string) (string, bool, error) {
	s.asked++
	if s.unsaved[id] == "unreachable" {
		return "", false, errors.New("unreachable")
	}
	return s.unsaved[id], s.alone[id], nil
}

func (s *spaces) Remove(_ context.Context, id string, keepRemote bool) error {
	if keepRemote {
		id += " (checkpoint stays)"
	}
	s.removed = append(s.removed, id)
	if s.removing != nil {
		s.removing()
	}
	return nil
}

type world struct {
	*Sweeper
	t      *testing.T
	spaces *spaces
	now    time.Time
	runs   map[string]bool // whether a workflow runs; the server does not know others
	run    string          // that is running of each
	down   error
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, spaces: &spaces{unsaved: map[string]string{}, alone: map[string]bool{}}, now: time.Unix(1_800_000_000, 0), runs: map[string]bool{}, run: "r"}
	w.Sweeper = &Sweeper{Tasks: t.TempDir(), Keep: 24 * time.Hour, Spaces: w.spaces, Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler),
		Asked: func(_ context.Context, o Owner) (State, error) {
			runs, known := w.runs[o.Workflow]
			if runs {
				return State{Known: known, Runs: w.run}, w.down
			}
			return State{Known: known}, w.down
		}}
	return w
}

// folder creates a task's folder of this size.
func (w *world) folder(id string, size int, runs bool) {
	w.t.Helper()
	must(w.t, Note(w.t.Context(), filepath.Join(w.Tasks, id), Owner{Workflow: id, Run: "r"}))
	must(w.t, os.Mkdir(filepath.Join(w.Tasks, id, "logs"), 0o700))
	must(w.t, os.WriteFile(filepath.Join(w.Tasks, id, "logs", "01.log"), make([]byte, size), 0o600))
	w.runs[id] = runs
}

// sweep returns the names of the remaining folders.
func (w *world) sweep() (left []string) {
	w.t.Helper()
	all, err := w.Find(w.t.Context())
	must(w.t, err)
	_, err = w.Clear(w.t.Context(), all)
	must(w.t, err)
	dirs, err := os.ReadDir(w.Tasks)
	must(w.t, err)
	for _, d := range dirs {
		left = append(left, d.Name())
	}
	return left
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) left(what string, want ...string) {
	w.t.Helper()
	if got := w.sweep(); !slices.Equal(got, want) {
		w.t.Errorf("%s: left are %q, want %q", what, got, want)
	}
}

// The folder of an ended task is removed after Keep. Others stay: of a running task, of one that the server does not
// know, without an owner, or with work that exists nowhere else.
func TestSweep(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"ended", "failed", "gone", "runs", "unsaved", "unreachable"} {
		w.folder(id, 10, id == "runs")
	}
	delete(w.runs, "gone")
	must(t, os.Mkdir(filepath.Join(w.Tasks, "nobodys"), 0o700))
	w.spaces.unsaved = map[string]string{"unsaved": "changes that were not committed", "unreachable": "unreachable"}
	w.spaces.alone["failed"] = true
	all := []string{"ended", "failed", "gone", "nobodys", "runs", "unreachable", "unsaved"}
	w.left("at once", all...)
	w.now = w.now.Add(23 * time.Hour)
	w.left("a day later, almost", all...)
	if w.spaces.asked != 0 {
		t.Errorf("%d workspaces were looked into, and their remotes asked, before their time", w.spaces.asked)
	}
	delete(w.runs, "ended") // the server has forgotten it
	w.down = errors.New("the server is down")
	w.now = w.now.Add(2 * time.Hour)
	w.left("while the server is down", all...)
	w.down = nil
	w.left("after a day", "gone", "nobodys", "runs", "unreachable", "unsaved")
	if !slices.Equal(w.spaces.removed, []string{"ended", "failed (checkpoint stays)"}) {
		t.Errorf("removed are %q", w.spaces.removed)
	}
	w.Keep = 0
	w.now = w.now.Add(1000 * time.Hour)
	w.spaces.unsaved = nil
	w.left("kept for ever", "gone", "nobodys", "runs", "unreachable", "unsaved")
}

// Beyond the limit on size the oldest ended tasks are removed early, until the rest fits.
func TestSweepBySize(t *testing.T) {
	w := newWorld(t)
	w.Size = 2500
	for _, id := range []string{"c-first", "b-second", "a-third"} {
		w.folder(id, 1000, false)
		w.folder("runs-"+id, 5000, true)
		_, err := w.Find(t.Context())
		must(t, err)
		w.now = w.now.Add(time.Hour)
	}
	w.left("3000 bytes and a little of ended tasks, 2500 allowed", "a-third", "b-second", "runs-a-third", "runs-b-second", "runs-c-first")
}

// due returns a folder that can be removed, as Find returns it.
func due(t *testing.T) (*world, []Leftover) {
	t.Helper()
	w := newWorld(t)
	w.folder("task", 10, false)
	w.Keep = time.Nanosecond
	_, err := w.Find(t.Context())
	must(t, err)
	w.now = w.now.Add(time.Hour)
	all, err := w.Find(t.Context())
	must(t, err)
	if all[0].Stays != "" {
		t.Fatalf("it stays: %s", all[0].Stays)
	}
	return w, all
}

// again is the owner of a folder that is used again: the workflow that follows the task's pull request has the same folder.
var again = Owner{Workflow: "pull:task", Run: "r"}

// A folder that a workflow uses again since Find stays.
func TestSweepLeavesWhatIsTakenAgain(t *testing.T) {
	w, all := due(t)
	must(t, Note(t.Context(), filepath.Join(w.Tasks, "task"), again))
	if _, err := w.Clear(t.Context(), all); err == nil || len(w.spaces.removed) != 0 {
		t.Errorf("it was removed: %v", err)
	}
}

// A task that was reset after its folder was marked as ended keeps it, for as long after its second end as after the first.
func TestSweepLeavesWhatRunsAgain(t *testing.T) {
	w := newWorld(t)
	w.folder("task", 10, false)
	w.left("at its end", "task")
	w.runs["task"], w.run = true, "r2"
	w.now = w.now.Add(25 * time.Hour)
	w.left("while it runs again", "task")
	w.runs["task"] = false
	w.now = w.now.Add(23 * time.Hour)
	w.left("less than a day later", "task")
	w.now = w.now.Add(2 * time.Hour)
	w.left("a day later")
}

// A workflow that goes on as new runs for months, after the server has forgotten the one that was noted, ends as any other.
func TestSweepFollowsTheRuns(t *testing.T) {
	w := newWorld(t)
	w.folder("task", 10, true)
	w.run = "r2"
	w.left("while it runs", "task")
	if o, _, err := ownerOf(filepath.Join(w.Tasks, "task")); err != nil || o != (Owner{Workflow: "task", Run: "r2"}) {
		t.Errorf("the owner is %+v: %v", o, err)
	}
}

// A workflow that comes while the server is asked about the one before keeps its folder.
func TestSweepLeavesWhatIsTakenMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.folder("task", 10, false)
	dir := filepath.Join(w.Tasks, "task")
	w.Keep = time.Nanosecond
	w.Asked = func(_ context.Context, o Owner) (State, error) {
		must(t, Note(t.Context(), dir, again))
		return State{Known: o.Workflow == "task"}, nil
	}
	w.left("at once", "task")
	w.now = w.now.Add(time.Hour)
	w.left("an hour later", "task")
	if o, known, err := ownerOf(dir); o != again || !known || err != nil {
		t.Errorf("the folder is noted as that of %+v, %v: %v", o, known, err)
	}
}

// A workflow that comes while its folder is being removed waits, and has a new folder then.
func TestNoteWaitsForTheRemoval(t *testing.T) {
	w, all := due(t)
	dir := filepath.Join(w.Tasks, "task")
	w.spaces.removing = func() {
		late, stop := context.WithCancel(t.Context())
		stop()
		if err := Note(late, dir, again); !errors.Is(err, context.Canceled) {
			t.Errorf("it did not wait: %v", err)
		}
	}
	w.remove = func(aside string) error {
		must(t, Note(t.Context(), dir, again)) // what is set aside is nobody's
		return os.RemoveAll(aside)
	}
	if _, err := w.Clear(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if o, known, err := ownerOf(dir); o != again || !known || err != nil {
		t.Errorf("the folder is noted as that of %+v, %v: %v", o, known, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "logs")); err == nil {
		t.Error("it has what the task before has left")
	}
}

// Of many notes at the same moment one stands.
func TestNotesAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "task")
	must(t, Note(t.Context(), dir, again))
	failed := make(chan error)
	for range 8 {
		go func() {
			var err error
			for range 50 {
				err = errors.Join(err, Note(t.Context(), dir, again))
			}
			failed <- err
		}()
	}
	for range 8 {
		must(t, <-failed)
	}
}

// A folder with nothing but the owner's note is removed at once; others stay unchanged.
func TestLeave(t *testing.T) {
	for what, files := range map[string][]string{"nothing": {}, "the note": {ownerFile}, "a log": {"log"}, "both": {"log", ownerFile}} {
		dir := filepath.Join(t.TempDir(), "task")
		must(t, os.Mkdir(dir, 0o700))
		for _, name := range files {
			must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		}
		for range 2 {
			must(t, Leave(t.Context(), dir))
		}
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		if _, err := os.Stat(dir); slices.Contains(files, "log") && len(left) != len(files) || !slices.Contains(files, "log") && err == nil {
			t.Errorf("%s: left are %q", what, left)
		}
	}
}

// A sweep that was interrupted within a folder is completed by the next one, even if the owner's note is already gone.
func TestSweepDiesInTheMiddle(t *testing.T) {
	w, all := due(t)
	w.remove = func(dir string) error {
		must(t, os.Remove(filepath.Join(dir, ownerFile)))
		panic("killed")
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = w.Clear(t.Context(), all)
		t.Error("nothing was removed")
	}()
	w.remove = nil
	if all, err := w.Find(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("what is half removed is shown as %+v: %v", all, err)
	}
	w.left("after the next sweep")
}

// When the clock jumps by an hour, the end of the keep time moves by an hour and no more.
func TestSweepWhenTheClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		w := newWorld(t)
		w.folder("task", 10, false)
		w.left("at once", "task")
		w.now = w.now.Add(jump)
		w.left("after the jump", "task")
		w.now = w.now.Add(w.Keep - jump - time.Minute)
		w.left("shortly before its time", "task")
		w.now = w.now.Add(2 * time.Minute)
		w.left("in its time")
	}
}

package deliverable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

var at = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// passed is an entry with evidence on one file.
func passed(id, file, blob string) Entry {
	return Entry{ID: id, Description: "It adds & <sums>", Acceptance: []string{"1+1 is 2"}, Proof: "go test -run TestAdd", Status: task.Passed,
		Evidence: &Evidence{Command: "go test -run TestAdd", Tests: &task.Ran{N: 1, Of: task.RanTests}, Commit: "c1",
			Files: map[string]string{file: blob}, Check: "x", Time: at}}
}

func example() *File {
	f := New()
	f.Spec = map[string]string{"SPEC.md": "s1"}
	f.Record(passed("FEAT-001", "add.go", "a1"),
		Entry{ID: "FEAT-002", Description: "It divides", Status: task.Blocked, Reason: "by zero?"},
		Entry{ID: "FEAT-003", Description: "It rounds", Status: task.Pending},
		Entry{ID: "FEAT-004", Description: "It beeps", Status: task.Pending, DeprecatedAt: &at})
	return f
}

func TestReadsWhatItWrites(t *testing.T) {
	t.Parallel()
	f := example()
	data, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if again, err := got.Bytes(); err != nil || !bytes.Equal(again, data) {
		t.Errorf("written again it is\n%s", again)
	}
	if !strings.Contains(string(data), "It adds & <sums>") {
		t.Error("people can't read it")
	}
}

func TestRecordKeepsTheOrder(t *testing.T) {
	t.Parallel()
	f := example()
	f.Record(Entry{ID: "FEAT-009", Description: "new", Status: task.Pending}, Entry{ID: "FEAT-002", Description: "It divides", Status: task.Pending})
	var ids []string
	for _, e := range f.Deliverables {
		ids = append(ids, e.ID+" "+string(e.Status))
	}
	want := "FEAT-001 passed,FEAT-002 pending,FEAT-003 pending,FEAT-004 pending,FEAT-009 pending"
	if got := strings.Join(ids, ","); got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
}

// Nothing in the file is dropped or believed silently: each mistake is named, with its line.
func TestMistakesAreNamed(t *testing.T) {
	t.Parallel()
	data, err := example().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	lineOf := func(text string) int { return 1 + strings.Count(good[:strings.Index(good, text)], "\n") }
	first := lineOf(`"id": "FEAT-001"`) - 1
	for name, c := range map[string]struct {
		old, new string
		line     int
		want     string
	}{
		"status made up":        {`"status": "blocked"`, `"status": "done"`, lineOf(`"id": "FEAT-002"`) - 1, `"FEAT-002" has the unknown status "done"`},
		"status by hand":        {`"status": "pending"`, `"status": "passed"`, lineOf(`"id": "FEAT-003"`) - 1, `"FEAT-003" was changed by hand`},
		"blocked to pending":    {`"status": "blocked"`, `"status": "pending"`, lineOf(`"id": "FEAT-002"`) - 1, `"FEAT-002" was changed by hand`},
		"words by hand":         {"It divides", "It divides by two", lineOf(`"id": "FEAT-002"`) - 1, `"FEAT-002" was changed by hand`},
		"command by hand":       {`"proof": "go test -run TestAdd"`, `"proof": "true"`, first, `"FEAT-001" was changed by hand`},
		"content by hand":       {`"add.go": "a1"`, `"add.go": "a2"`, first, `"FEAT-001" was changed by hand`},
		"field made up":         {`"status": "blocked"`, `"status": "blocked", "passed": true`, lineOf(`"id": "FEAT-002"`) - 1, `unknown field "passed"`},
		"field of the file":     {`"version": 1`, `"version": 1, "all": "passed"`, 2, `the field "all" is not known`},
		"field twice":           {`"version": 1`, `"version": 1, "version": 1`, 2, `the field "version" is there twice`},
		"newer":                 {`"version": 1`, `"version": 2`, 2, "version is 2"},
		"no version":            {`"version": 1,`, ``, 1, `the field "version" is missing`},
		"twice":                 {`"id": "FEAT-002"`, `"id": "FEAT-001"`, lineOf(`"id": "FEAT-002"`) - 1, `"FEAT-001" is there twice`},
		"id":                    {`"id": "FEAT-003"`, `"id": "round"`, lineOf(`"id": "FEAT-003"`) - 1, `the id "round" is not of the form`},
		"kind":                  {`"exit": 0`, `"exit": "0"`, lineOf(`"exit": 0`), `is a string`},
		"a merge's marks":       {`      "status": "blocked",`, "<<<<<<< HEAD\n      \"status\": \"blocked\",\n=======\n      \"status\": \"pending\",\n>>>>>>> main", lineOf(`"status": "blocked"`), "a merge has left its marks"},
		"a comma":               {`"status": "blocked",`, `"status": "blocked"`, lineOf(`"status": "blocked"`) + 1, "this is no JSON"},
		"cut off":               {good[len(good)-20:], "", 0, "this is no JSON"},
		"something behind":      {good, good + "{}", 0, "this is no JSON"},
		"a list":                {good, "[]", 1, `"{" is missing here`},
		"deliverables no list":  {good, `{"version": 1, "deliverables": {}}`, 1, `"[" is missing here`},
		"a deliverable no dict": {good, `{"version": 1, "deliverables": ["FEAT-001"]}`, 1, "is a string"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		_, err := Read([]byte(bad))
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		where := Path + ":"
		if c.line > 0 {
			where = Path + ":" + jsonNumber(c.line) + ": "
		}
		if !strings.HasPrefix(err.Error(), where) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, wanted %s…%s", name, err, where, c.want)
		}
		if fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" {
			t.Errorf("%s: %s without a way out: %q", name, fault.KindOf(err), fault.HintOf(err))
		}
	}
}

func jsonNumber(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// Evidence that shows nothing is refused, also where its sum is right.
func TestEvidenceThatShowsNothing(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*Entry){
		"without evidence":                      func(e *Entry) { e.Evidence = nil },
		"that failed with exit code 1":          func(e *Entry) { e.Evidence.Exit = 1 },
		"that ran no tests":                     func(e *Entry) { e.Evidence.Tests.N = 0 },
		"by another command than its own":       func(e *Entry) { e.Evidence.Command = "true" },
		"has evidence that is bound to nothing": func(e *Entry) { e.Evidence.Files = nil },
		"is bound to nothing":                   func(e *Entry) { e.Evidence.Check = "" },
		"has no description":                    func(e *Entry) { e.Description = "" },
		"blocked without a reason":              func(e *Entry) { e.Status, e.Evidence = task.Blocked, nil },
		"has evidence, and has not passed":      func(e *Entry) { e.Status = task.Pending },
	} {
		f, e := New(), passed("FEAT-001", "add.go", "a1")
		change(&e)
		f.Record(e)
		data, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, wanted %s", err, want)
		}
	}
}

// content is what a commit holds, without a git.
func content(files map[string]string) *Content { return &Content{ids: files} }

func TestAt(t *testing.T) {
	t.Parallel()
	base := map[string]string{"add.go": "a1", "SPEC.md": "s1"}
	sound := passed("FEAT-001", "add.go", "a1")
	sound.Evidence.Check = content(base).Check(sound.Evidence.Command)
	for name, c := range map[string]struct {
		files      map[string]string
		scripts    string
		entry      Entry
		state      State
		why        string
		spec       string
		fulfilment bool
	}{
		"as it was":              {files: base, entry: sound, state: Passed, fulfilment: true},
		"with other files":       {files: map[string]string{"add.go": "a1", "SPEC.md": "s1", "mul.go": "m1"}, entry: sound, state: Passed, fulfilment: true},
		"another content":        {files: map[string]string{"add.go": "a2", "SPEC.md": "s1"}, entry: sound, state: Outdated, why: "add.go has changed"},
		"removed":                {files: map[string]string{"SPEC.md": "s1"}, entry: sound, state: Outdated, why: "add.go is gone"},
		"settings of the tests":  {files: map[string]string{"add.go": "a1", "SPEC.md": "s1", "pytest.ini": "p1"}, entry: sound, state: Outdated, why: "what decides what its command runs"},
		"a Makefile it uses not": {files: map[string]string{"add.go": "a1", "SPEC.md": "s1", "Makefile": "m1"}, entry: sound, state: Passed, fulfilment: true},
		"another specification":  {files: map[string]string{"add.go": "a1", "SPEC.md": "s2"}, entry: sound, state: Passed, spec: "SPEC.md"},
		"no specification":       {files: map[string]string{"add.go": "a1"}, entry: sound, state: Passed, spec: "SPEC.md"},
	} {
		f := New()
		f.Spec = map[string]string{"SPEC.md": "s1"}
		f.Record(c.entry)
		r := f.At(content(c.files))
		if got := r.All[0]; got.State != c.state || !strings.HasPrefix(got.Why, c.why) {
			t.Errorf("%s: %s (%s), wanted %s (%s)", name, got.State, got.Why, c.state, c.why)
		}
		if strings.Join(r.SpecChanged, ",") != c.spec || r.Stands() != c.fulfilment {
			t.Errorf("%s: changed %v, stands: %v", name, r.SpecChanged, r.Stands())
		}
	}
}

// TestOtherSpecificationsStay: a run that names other files leaves what the file says of those that it does not name, unless they are gone.
func TestOtherSpecificationsStay(t *testing.T) {
	t.Parallel()
	c := content(map[string]string{"a.md": "a2", "docs": "d1", "docs/b.md": "b1", "docs-old.md": "o2"})
	for name, spec := range map[string]map[string]string{
		"docs":      {"docs": "d1", "a.md": "a1", "docs-old.md": "o1"},
		"a.md":      {"a.md": "a2", "docs/b.md": "", "docs-old.md": "o1"},
		"docs/b.md": {"docs/b.md": "b1", "a.md": "a1", "docs-old.md": "o1"},
	} {
		f := New()
		f.Spec = map[string]string{"a.md": "a1", "docs/b.md": "", "docs-old.md": "o1", "gone.md": "g1"}
		f.Specify(c, []string{name}, false)
		if diff := cmp.Diff(spec, f.Spec); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		f.Specify(c, []string{name}, true)
		spec[name] = ""
		if diff := cmp.Diff(spec, f.Spec); diff != "" {
			t.Errorf("a part of %s: %s", name, diff)
		}
	}
}

func TestCountsWhatIsInUse(t *testing.T) {
	t.Parallel()
	r := example().At(content(map[string]string{"add.go": "a1", "SPEC.md": "s1"}))
	var states []string
	for _, s := range r.All {
		states = append(states, string(s.State))
	}
	if got := strings.Join(states, ","); got != "passed (evidence outdated),blocked,pending,deprecated" || r.Passed != 0 || r.Of != 3 {
		t.Errorf("%s, %d of %d", got, r.Passed, r.Of)
	}
	if r.All[1].Why != "by zero?" || r.Stands() {
		t.Errorf("%+v", r.All[1])
	}
}

// What a command runs by way of other files is part of what its evidence is bound to.
func TestCheck(t *testing.T) {
	t.Parallel()
	is := func(c Content) func(string) string { return func(command string) string { return c.Check(command) } }
	files := map[string]string{"Makefile": "m1", "sub/pytest.ini": "p1", "a.go": "a1"}
	base := is(Content{ids: files, setup: "go mod download", scripts: `{"test":"jest"}`})
	changed := map[string]func(string) string{
		"Makefile":   is(Content{ids: map[string]string{"Makefile": "m2", "sub/pytest.ini": "p1"}, setup: "go mod download", scripts: `{"test":"jest"}`}),
		"pytest.ini": is(Content{ids: map[string]string{"Makefile": "m1", "sub/pytest.ini": "p2"}, setup: "go mod download", scripts: `{"test":"jest"}`}),
		"setup":      is(Content{ids: files, setup: "true", scripts: `{"test":"jest"}`}),
		"scripts":    is(Content{ids: files, setup: "go mod download", scripts: `{"test":"true"}`}),
		"code":       is(Content{ids: map[string]string{"Makefile": "m1", "sub/pytest.ini": "p1", "a.go": "a2"}, setup: "go mod download", scripts: `{"test":"jest"}`}),
	}
	for command, bound := range map[string]string{
		"go test ./...": "pytest.ini setup", "make test": "Makefile pytest.ini setup", "npm test": "pytest.ini scripts setup",
		"cd sub && just ci": "Makefile pytest.ini setup", "go test -run Remake": "pytest.ini setup",
	} {
		for what, check := range changed {
			want := strings.Contains(bound, what)
			if got := check(command) != base(command); got != want {
				t.Errorf("%s: a change of %s ends its evidence: %v", command, what, got)
			}
		}
		if base(command) == base(command+" ") {
			t.Errorf("%s: another command has the same id", command)
		}
	}
}

func TestBindLeavesOutOurOwn(t *testing.T) {
	t.Parallel()
	got := content(map[string]string{"a.go": "a1", Path: "x"}).Bind([]string{"a.go", "gone.go", Path, ".longshift/prompts/planner.md"})
	if diff := cmp.Diff(map[string]string{"a.go": "a1", "gone.go": ""}, got); diff != "" {
		t.Error(diff)
	}
	many := []string{"a.go", Path}
	for n := range mostBound {
		many = append(many, fmt.Sprintf("data/%d.txt", n))
	}
	got = content(map[string]string{"a.go": "a1", "data": "d1", Folder: "x"}).Bind(many)
	if diff := cmp.Diff(map[string]string{"a.go": "a1", "data": "d1"}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzRead(f *testing.F) {
	data, err := example().Bytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"version":1,"deliverables":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(data)
		if err != nil {
			var named *fault.Error
			if !errors.As(err, &named) || !strings.HasPrefix(err.Error(), Path+":") {
				t.Errorf("%v does not name a line", err)
			}
			return
		}
		again, err := file.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(again); err != nil {
			t.Errorf("it does not read what it writes: %v\n%s", err, again)
		}
	})
}

// TestNamesThatAreNoText: git's names are bytes. A file that is not named in UTF-8 makes no status file that can't be read, and is known again.
func TestNamesThatAreNoText(t *testing.T) {
	const one, other = "caf\xe9.txt", "caf\xe8.txt"
	c := &Content{ids: map[string]string{one: "a1", other: "b2"}}
	e := passed("FEAT-001", "", "")
	e.Evidence.Files = c.Bind([]string{one, other})
	f := New()
	f.Record(e)
	data, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(data)
	if err != nil || len(got.Deliverables[0].Evidence.Files) != 2 {
		t.Fatalf("%v\n%s", err, data)
	}
	c.deciding = &deciding{}
	if why := got.Deliverables[0].outdated(c); strings.Contains(why, "caf") {
		t.Error(why)
	}
	delete(c.ids, one)
	if why := got.Deliverables[0].outdated(c); !strings.Contains(why, `caf\xe9.txt`) || !strings.Contains(why, "is gone") {
		t.Errorf("without it: %q", why)
	}
}

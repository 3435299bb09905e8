package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

func approval(verb string) Act {
	return Act{Time: noon, Channel: "slack", User: "U1", Name: "ann", Verb: verb, Task: "acme-web-x1y2z3", Delivery: "slack-E1", Verdict: ActDone}
}

func addAct(t testing.TB, l *Log, a Act) {
	t.Helper()
	if err := l.AppendAct(t.Context(), a); err != nil {
		t.Fatal(err)
	}
}

func listActs(t testing.TB, l *Log, f ActFilter) []Act {
	t.Helper()
	var all []Act
	for a, err := range l.Acts(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	return all
}

func verbsOf(acts []Act) string {
	var verbs []string
	for _, a := range acts {
		verbs = append(verbs, a.Verb)
	}
	return strings.Join(verbs, " ")
}

func TestActsComeBackAsTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := openLog(t, path)
	done := approval("approve")
	done.Time = noon.Add(1234 * time.Microsecond)
	refused := approval("stop")
	refused.Channel, refused.Verdict, refused.Reason, refused.Name = "whatsapp", ActRefused, "may not: 'stop' -- ä€👩‍💻", ""
	addAct(t, l, done)
	addAct(t, l, refused)
	done.ID, refused.ID = 1, 2
	if diff := cmp.Diff([]Act{done, refused}, listActs(t, l, ActFilter{})); diff != "" {
		t.Error(diff)
	}
	var read []Act
	for a, err := range ReadActs(t.Context(), path, ActFilter{Last: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, a)
	}
	if diff := cmp.Diff([]Act{refused}, read); diff != "" {
		t.Error(diff)
	}
	if got := list(t, l, Filter{}); len(got) != 0 {
		t.Errorf("acts are listed as commands: %v", got)
	}
}

func TestActsAreOneLine(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	a := approval("approve")
	a.Name = "an\x00n\x1b[2J\u202egnp\u2069\u009b1m\r\nsecond\u2028third"
	a.Reason = "\a" + strings.Repeat("ä", maxOther)
	addAct(t, l, a)
	got := listActs(t, l, ActFilter{})[0]
	if want := "ann[2Jgnp1m second third"; got.Name != want {
		t.Errorf("name %q, want %q", got.Name, want)
	}
	if got.Reason != strings.Repeat("ä", maxOther/2) {
		t.Errorf("reason has %d bytes", len(got.Reason))
	}
}

func TestWrongActsAreRefused(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	for name, change := range map[string]func(*Act){
		"time": func(a *Act) { a.Time = time.Time{} }, "channel": func(a *Act) { a.Channel = "" }, "user": func(a *Act) { a.User = "" },
		"no verdict": func(a *Act) { a.Verdict = "" }, "unknown verdict": func(a *Act) { a.Verdict = "maybe" },
	} {
		a := approval("approve")
		change(&a)
		if err := l.AppendAct(t.Context(), a); fault.KindOf(err) != fault.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.AppendAct(ctx, approval("approve")); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	if got := listActs(t, l, ActFilter{}); len(got) != 0 {
		t.Errorf("kept %v", got)
	}
}

func TestActFilters(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	for i, change := range []func(*Act){
		func(a *Act) { a.Task = "acme-web-1" },
		func(a *Act) { a.Verdict = ActRefused },
		func(a *Act) { a.Channel = "telegram" },
		func(a *Act) { a.User = "U2" },
	} {
		a := approval(fmt.Sprintf("v%d", i))
		a.Time = noon.Add(time.Duration(i) * time.Hour)
		change(&a)
		addAct(t, l, a)
	}
	for name, c := range map[string]struct {
		f    ActFilter
		want string
	}{
		"all":        {ActFilter{}, "v0 v1 v2 v3"},
		"last":       {ActFilter{Last: 3}, "v1 v2 v3"},
		"task":       {ActFilter{Task: "acme-web-1"}, "v0"},
		"no part":    {ActFilter{Task: "acme-web"}, ""},
		"beginning":  {ActFilter{Task: "acme-web-x", Partial: true}, "v1 v2 v3"},
		"end":        {ActFilter{Task: "x1y2z3", Partial: true, Channel: "slack"}, "v1 v3"},
		"whole wins": {ActFilter{Task: "acme-web-1", Partial: true}, "v0"},
		"channel":    {ActFilter{Channel: "telegram"}, "v2"},
		"user":       {ActFilter{User: "U2"}, "v3"},
		"verdict":    {ActFilter{Verdict: ActRefused}, "v1"},
		"since":      {ActFilter{Since: noon.Add(2 * time.Hour)}, "v2 v3"},
		"several":    {ActFilter{Channel: "slack", Verdict: ActDone, Since: noon, Last: 1}, "v3"},
		"hostile":    {ActFilter{User: "' OR 1=1 --"}, ""},
	} {
		if got := verbsOf(listActs(t, l, c.f)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPruneTakesActs(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	add(t, l, decision("old"))
	for i := range pruneBatch + 3 {
		a := approval(fmt.Sprint(i))
		a.Time = noon.Add(time.Duration(i) * time.Second)
		addAct(t, l, a)
	}
	n, err := l.Prune(t.Context(), noon.Add((pruneBatch+1)*time.Second))
	if err != nil || n != pruneBatch+2 {
		t.Errorf("pruned %d, %v", n, err)
	}
	if got := verbsOf(listActs(t, l, ActFilter{})); got != "2001 2002" {
		t.Errorf("left %q", got)
	}
	if got := list(t, l, Filter{}); len(got) != 0 {
		t.Errorf("left %v", got)
	}
}

func TestReaderCannotAct(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	for _, err := range ReadActs(t.Context(), path, ActFilter{}) {
		if fault.KindOf(err) != fault.NotFound {
			t.Errorf("no file: %v", err)
		}
	}
	addAct(t, openLog(t, path), approval("approve"))
	r, err := OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.AppendAct(t.Context(), approval("stop")); err == nil {
		t.Error("a reader wrote")
	}
	if got := verbsOf(listActs(t, r, ActFilter{})); got != "approve" {
		t.Errorf("acts %q", got)
	}
}

// A file of a version without acts keeps its records, and accepts acts after the migration.
func TestMigrationToActs(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	dump, err := os.ReadFile(filepath.Join("testdata", "version1.sql"))
	if err != nil {
		t.Fatal(err)
	}
	old, err := sql.Open(driverName, "file://"+path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = old.ExecContext(t.Context(), string(dump))
	if err := errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	for _, err := range ReadActs(t.Context(), path, ActFilter{}) {
		if fault.KindOf(err) != fault.Conflict || fault.HintOf(err) == "" {
			t.Errorf("reading before the update: %v", err)
		}
	}
	l := openLog(t, path)
	two := 2
	want := []Record{
		{ID: 1, Time: noon, Kind: KindDecision, Task: "acme-web-x1y2z3", Session: "s1", Role: "implementer", Host: "h1", Tool: "Bash", Dir: "/work",
			Command: "git status", SHA256: "e62b04aadf39df1a47b771265e4ae5c452df3f1903d5c263ab00f088e86102f6", Decision: Allow, Rule: "git.read"},
		{ID: 2, Time: noon, Kind: KindRun, Task: "acme-web-x1y2z3", Command: "make 'all'", ExitCode: &two, Duration: 1500 * time.Millisecond,
			SHA256: "ba2e4346b673109670aa78deba497f0f645c1602cc0c1a36e23c7b8d055e027c"},
	}
	if diff := cmp.Diff(want, list(t, l, Filter{})); diff != "" {
		t.Error(diff)
	}
	addAct(t, l, approval("approve"))
	if id := add(t, l, decision("next")); id != 3 {
		t.Errorf("the next record got the id %d", id)
	}
	if version, err := l.version(t.Context(), l.read); err != nil || version != len(migrations) {
		t.Errorf("version %d, %v", version, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := verbsOf(listActs(t, openLog(t, path), ActFilter{})); got != "approve" {
		t.Errorf("acts %q", got)
	}
}

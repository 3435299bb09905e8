package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func openLog(t testing.TB, path string) *Log {
	t.Helper()
	l, err := Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func decision(command string) Record {
	return Record{Time: noon, Kind: KindDecision, Task: "acme-web-x1y2z3", Session: "s1", Role: "implementer", Host: "h1", Tool: "Bash",
		Dir: "/work", Command: command, Decision: Allow, Rule: "git.read"}
}

func add(t testing.TB, l *Log, r Record) int64 {
	t.Helper()
	id, err := l.Append(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func list(t testing.TB, l *Log, f Filter) []Record {
	t.Helper()
	var all []Record
	for r, err := range l.List(t.Context(), f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func commandsOf(records []Record) string {
	var names []string
	for _, r := range records {
		names = append(names, r.Command)
	}
	return strings.Join(names, " ")
}

func TestRecordsComeBackAsTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "a ?#%41.db")
	l := openLog(t, path)
	in := decision("git status \x00\x1b[2J 'ä' \n")
	in.Reason, in.ApprovedBy, in.Time = "because", "ann", noon.Add(1234*time.Microsecond)
	id := add(t, l, in)
	run := Record{Time: noon, Kind: KindRun, Task: "t", Command: "make"}
	runID := add(t, l, run)
	if err := l.Finish(t.Context(), runID, 3, 1500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(in.Command))
	in.ID, in.SHA256 = id, hex.EncodeToString(sum[:])
	three := 3
	sum = sha256.Sum256([]byte("make"))
	run.ID, run.ExitCode, run.Duration, run.SHA256 = runID, &three, 1500*time.Millisecond, hex.EncodeToString(sum[:])
	if diff := cmp.Diff([]Record{in, run}, list(t, l, Filter{})); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	for _, part := range []string{"-wal", "-shm"} {
		if info, err := os.Stat(path + part); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", part, info, err)
		}
	}
}

func TestLongCommandsAreCut(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	long := "x" + strings.Repeat("ä", MaxCommand) // a cut at 16 KiB would split a letter
	r := decision(long)
	r.Reason = strings.Repeat("r", 10_000)
	add(t, l, r)
	add(t, l, decision(strings.Repeat("y", MaxCommand)))
	got := list(t, l, Filter{})
	sum := sha256.Sum256([]byte(long))
	if g := got[0]; !g.Truncated || len(g.Command) != MaxCommand-1 || !strings.HasPrefix(long, g.Command) ||
		g.SHA256 != hex.EncodeToString(sum[:]) || len(g.Reason) != maxOther {
		t.Errorf("truncated %v, %d bytes, reason %d, hash %s", g.Truncated, len(g.Command), len(g.Reason), g.SHA256)
	}
	if g := got[1]; g.Truncated || len(g.Command) != MaxCommand {
		t.Errorf("truncated %v, %d bytes", g.Truncated, len(g.Command))
	}
}

func TestWrongRecordsAreRefused(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	for name, change := range map[string]func(*Record){
		"time": func(r *Record) { r.Time = time.Time{} }, "kind": func(r *Record) { r.Kind = "x" },
		"decision": func(r *Record) { r.Decision = "" }, "unknown": func(r *Record) { r.Kind, r.Decision = KindRun, "maybe" },
	} {
		r := decision("ls")
		change(&r)
		if _, err := l.Append(t.Context(), r); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if got := list(t, l, Filter{}); len(got) != 0 {
		t.Errorf("kept %v", got)
	}
}

func TestWhatRanEndsOnce(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	denied, asked := decision("rm"), decision("push")
	denied.Decision, asked.Decision = Deny, Ask
	never := []int64{add(t, l, denied), add(t, l, asked), 99}
	for _, id := range []int64{add(t, l, decision("ls")), add(t, l, Record{Time: noon, Kind: KindRun, Command: "ls"})} {
		if err := l.Finish(t.Context(), id, 0, 0); err != nil {
			t.Error(err)
		}
		never = append(never, id)
	}
	for _, id := range never {
		if err := l.Finish(t.Context(), id, 1, time.Second); fault.KindOf(err) != fault.NotFound {
			t.Errorf("record %d: %v", id, err)
		}
	}
	for i, r := range list(t, l, Filter{}) {
		if ran := i >= 2; (r.ExitCode != nil) != ran || ran && *r.ExitCode != 0 || r.Duration != 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestFilters(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	for i, change := range []func(*Record){
		func(r *Record) { r.Task = "acme-web-1" },
		func(r *Record) { r.Task = "acme-web-12"; r.Decision = Deny; r.Rule = "net" },
		func(r *Record) { r.Session = "s2"; r.Role = "reviewer" },
		func(r *Record) { r.Decision = Ask; r.ApprovedBy = "ann" },
	} {
		r := decision(fmt.Sprintf("cmd%d%%", i))
		change(&r)
		r.Time = noon.Add(time.Duration(i) * time.Hour)
		add(t, l, r)
	}
	for name, c := range map[string]struct {
		f    Filter
		want string
	}{
		"all":        {Filter{}, "cmd0% cmd1% cmd2% cmd3%"},
		"newest":     {Filter{Limit: 2}, "cmd2% cmd3%"},
		"task":       {Filter{Task: "acme-web-1"}, "cmd0%"},
		"no part":    {Filter{Task: "acme-web"}, ""},
		"beginning":  {Filter{Task: "acme-web-x", Partial: true}, "cmd2% cmd3%"},
		"end":        {Filter{Task: "12", Partial: true}, "cmd1%"},
		"whole wins": {Filter{Task: "acme-web-1", Partial: true}, "cmd0%"},
		"session":    {Filter{Session: "s2"}, "cmd2%"},
		"role":       {Filter{Role: "reviewer"}, "cmd2%"},
		"decision":   {Filter{Decision: "deny"}, "cmd1%"},
		"rule":       {Filter{Rule: "net"}, "cmd1%"},
		"contains":   {Filter{Contains: "3%"}, "cmd3%"},
		"no pattern": {Filter{Contains: "c%"}, ""},
		"case":       {Filter{Contains: "CMD"}, ""},
		"since":      {Filter{Since: noon.Add(2 * time.Hour)}, "cmd2% cmd3%"},
		"until":      {Filter{Until: noon.Add(2 * time.Hour)}, "cmd0% cmd1%"},
		"several":    {Filter{Decision: "allow", Since: noon.Add(time.Hour), Limit: 5}, "cmd2%"},
		"hostile":    {Filter{Rule: "' OR 1=1 --", Task: "x"}, ""},
	} {
		if got := commandsOf(list(t, l, c.f)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for _, err := range l.List(t.Context(), Filter{Task: "acme", Partial: true, Limit: 1}) {
		if fault.KindOf(err) != fault.Input || !strings.HasSuffix(err.Error(), ":\n  acme-web-1\n  acme-web-12\n  acme-web-x1y2z3") {
			t.Errorf("a part of several: %v", err)
		}
	}
}

func TestAppendWhileListing(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	for i := range 5 {
		add(t, l, decision(fmt.Sprint(i)))
	}
	seen := 0
	for _, err := range l.List(t.Context(), Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		add(t, l, decision("more"))
		if seen++; seen == 4 {
			break
		}
	}
	if got := len(list(t, l, Filter{})); got != 9 {
		t.Errorf("%d records", got)
	}
}

func TestPrune(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := openLog(t, path)
	for i := range 2*pruneBatch + 10 {
		r := decision(fmt.Sprint(i))
		r.Time = noon.Add(time.Duration(i) * time.Second)
		add(t, l, r)
	}
	n, err := l.Prune(t.Context(), noon.Add(time.Duration(2*pruneBatch+7)*time.Second))
	if err != nil || n != 2*pruneBatch+7 {
		t.Errorf("pruned %d, %v", n, err)
	}
	if got := commandsOf(list(t, l, Filter{})); got != "4007 4008 4009" {
		t.Errorf("left %q", got)
	}
	_, _ = l.Prune(t.Context(), noon.Add(24*time.Hour))
	if id := add(t, l, decision("next")); id != 2*pruneBatch+11 {
		t.Errorf("id %d was given before", id)
	}
}

func TestWritersQueue(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	var wg sync.WaitGroup
	for range 2 { // like two processes, with separate connections
		l := openLog(t, path)
		for range 4 {
			wg.Go(func() {
				for range 50 {
					if _, err := l.Append(t.Context(), decision("x")); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	if got := len(slices.Collect(func(yield func(Record) bool) {
		for r, err := range Read(t.Context(), path, Filter{}) {
			if err != nil || !yield(r) {
				t.Error(err)
				return
			}
		}
	})); got != 400 {
		t.Errorf("%d records", got)
	}
}

func TestReaderCannotWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	add(t, openLog(t, path), decision("x"))
	r, err := OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, appendErr := r.Append(t.Context(), decision("y"))
	_, pruneErr := r.Prune(t.Context(), noon.Add(time.Hour))
	_, execErr := r.read.ExecContext(t.Context(), "DELETE FROM records")
	for i, err := range []error{appendErr, r.Finish(t.Context(), 1, 0, 0), pruneErr, execErr} {
		if err == nil {
			t.Errorf("write %d went through", i)
		}
	}
	if got := commandsOf(list(t, r, Filter{})); got != "x" {
		t.Errorf("records %q", got)
	}
}

func TestNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	_, err := OpenReader(path)
	if fault.KindOf(err) != fault.NotFound || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("reading made the file")
	}
	blocked := filepath.Join(path, "x", FileName)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), blocked, nil); err == nil || !strings.Contains(err.Error(), blocked) {
		t.Errorf("a folder that can't be made: %v", err)
	}
}

// captured is a log that keeps its output.
func captured() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, nil)), &b
}

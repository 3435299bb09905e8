package activities

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

func TestCorruptStateIsSetAside(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"record.json", "result-1.json"} {
		data := t.TempDir()
		r := reopen(t, data)
		must(t, r.begin(1))
		must(t, r.keep(1, SessionResult{Kind: agent.Completed}))
		const junk = `{"lastAsk":1,"kind":"comp`
		must(t, os.WriteFile(filepath.Join(r.dir, name), []byte(junk), 0o600))
		read := func() error {
			r, err := openRecord(data, SessionInput{Ref: Ref{TaskID: "t1"}, ID: "s1"})
			if err == nil {
				_, _, err = r.result(1)
			}
			return err
		}
		err := read()
		wantFault(t, err, fault.Infra, "state file "+name+" is corrupt", name+".corrupt")
		if err != nil && strings.Contains(err.Error(), data) {
			t.Errorf("the error names the data directory: %v", err)
		}
		kept, _ := os.ReadFile(filepath.Join(r.dir, name+".corrupt"))
		if string(kept) != junk {
			t.Errorf("%s: kept %q", name, kept)
		}
		must(t, read())
	}
}

// A read during the replacement of a state file returns the old content or the new.
func TestWriteJSONIsWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "state.json")
	contents := []string{strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<15)}
	must(t, writeJSON(file, contents[1]))
	var writers sync.WaitGroup
	done := make(chan struct{})
	writers.Go(func() {
		defer close(done)
		for i := range 40 {
			if err := writeJSON(file, contents[i%2]); err != nil {
				t.Error(err)
			}
		}
	})
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		var got string
		must(t, readJSON(file, &got))
		if got != contents[0] && got != contents[1] {
			t.Fatalf("read %d bytes that nobody wrote", len(got))
		}
	}
	writers.Wait()
	alone(t, dir, "state.json")
}

func TestWriteJSONLeavesTheOldContentWhenItFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "state.json")
	must(t, writeJSON(file, "old"))
	if err := writeJSON(file, make(chan int)); err == nil {
		t.Error("a channel was written")
	}
	var got string
	if err := readJSON(file, &got); err != nil || got != "old" {
		t.Errorf("got %q, %v", got, err)
	}
	taken := filepath.Join(dir, "folder.json") // a rename on a folder fails
	must(t, os.Mkdir(taken, 0o700))
	wantFault(t, writeJSON(taken, "new"), fault.Infra, "write folder.json")
	wantFault(t, writeJSON(filepath.Join(dir, "gone", "state.json"), "new"), fault.Infra, "write state.json")
	alone(t, dir, "folder.json", "state.json")
}

// alone fails when a folder holds anything but these.
func alone(t *testing.T, dir string, names ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	must(t, err)
	var got []string
	for _, e := range list {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("in the folder (-want +got):\n%s", diff)
	}
}

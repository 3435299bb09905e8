package activities

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
)

// A program can't write in the box of a role that only reads, even if the driver let it.
func TestReadOnlyBox(t *testing.T) {
	box, err := sandbox.New(t.Context(), sandbox.Config{Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	b := newBench(t, nil)
	b.prepare()
	tree, err := b.Workspaces.Open(t.Context(), b.ref.TaskID, b.ref.Fence)
	must(t, err)
	where, err := layoutOf(t.Context(), tree)
	must(t, err)
	for _, readOnly := range []bool{true, false} {
		b.Policy.WriteOff = readOnly // the operator's switch does the same for every role
		b.start()
		spec, err := b.boxes.spec(t.Context(), where, b.boxes.dirs(where, b.ref.TaskID), false, pathScope{})
		must(t, err)
		role, err := b.boxes.spec(t.Context(), where, b.boxes.dirs(where, b.ref.TaskID), true, pathScope{})
		if err != nil || !role.ReadOnly || spec.ReadOnly != readOnly {
			t.Errorf("read only: %v for a role that reads, %v with the switch at %v; %v", role.ReadOnly, spec.ReadOnly, readOnly, err)
		}
		must(t, err)
		before, err := tree.Fingerprint(t.Context())
		must(t, err)
		res, err := box.Run(t.Context(), process.Spec{Path: "/bin/bash", Dir: where.dir, Env: []string{"PATH=" + os.Getenv("PATH")},
			Args: []string{"-c", "echo x > new; echo x >> README.md; rm calc.go; echo x > .git/HEAD.new; true"}}, process.Limits{Wall: time.Minute, Keep: 4 << 10}, spec)
		must(t, err)
		after, err := tree.Fingerprint(t.Context())
		must(t, err)
		changed := before != after || made(where.dir+"/new", where.dir+"/.git/HEAD.new") != ""
		if changed == readOnly {
			t.Errorf("read only %v: changed %v: %s", readOnly, changed, res.Output)
		}
	}
}

package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

// onHost runs New in a child process on a host that lacks something, and returns its output.
func onHost(t *testing.T, lacks, weaken, bwrap string) string {
	t.Helper()
	theBox(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = []string{testPath, "SANDBOX_TEST_PART=probe", "SANDBOX_TEST_LACKS=" + lacks, "SANDBOX_TEST_WEAKEN=" + weaken,
		"SANDBOX_TEST_BWRAP=" + bwrap, "TMPDIR=" + t.TempDir()}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestMissingLayerIsAFault(t *testing.T) {
	for lacks, layer := range map[string]Layer{
		"landlock": LayerLandlock, "old landlock": LayerLandlock, "landlock that does nothing": LayerLandlock,
		"seccomp": LayerSeccomp, "seccomp that does nothing": LayerSeccomp,
		"namespaces": LayerNamespaces,
		"limits":     LayerLimits, "limits that do nothing": LayerLimits,
	} {
		t.Run(lacks, func(t *testing.T) {
			out := onHost(t, lacks, "", "")
			for _, want := range []string{"fault: LongshiftInfra\n", "error: ", "layer " + string(layer) + " does not hold", "hint: ",
				WeakenFlag + "=" + string(layer)} {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in %s", want, out)
				}
			}
			if strings.Contains(out, "ran") {
				t.Errorf("a program has run: %s", out)
			}
		})
	}
}

func TestWeakenedLayer(t *testing.T) {
	for lacks, weaken := range map[string]string{
		"landlock": "landlock", "seccomp": "seccomp", "limits": "limits", "namespaces": "namespaces network", "": "network",
	} {
		t.Run(weaken, func(t *testing.T) {
			out := onHost(t, lacks, weaken, "")
			for _, layer := range AllLayers() {
				weak := strings.Contains(" "+weaken+" ", " "+string(layer)+" ")
				if !strings.Contains(out, fmt.Sprintf("\n%s %t ", layer, !weak)) {
					t.Errorf("%s is not told: %s", layer, out)
				}
				warned := strings.Contains(out, "WARN sandbox layer is switched off by the operator layer="+string(layer))
				if warned != weak {
					t.Errorf("%s: warned %t, want %t: %s", layer, warned, weak, out)
				}
			}
			if !strings.Contains(out, "ran\n") || !strings.Contains(out, " 3 <nil>") || !strings.Contains(out, "CapEff:\t0000000000000000") ||
				!strings.Contains(out, "NoNewPrivs:\t1") {
				t.Errorf("program did not run as it should: %s", out)
			}
		})
	}
}

func TestWeakenWhatIsNotThere(t *testing.T) {
	for _, weak := range []map[Layer]bool{{"walls": true}, {LayerNamespaces: true}} {
		if _, err := New(t.Context(), Config{Weaken: weak}); fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" {
			t.Errorf("%v: got %v", weak, err)
		}
	}
}

func TestWrongBubblewrap(t *testing.T) {
	theBox(t)
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	version := `[ "$1" = --version ] && { echo bubblewrap 0.11.0; exit; };`
	for name, c := range map[string]struct{ bwrap, seen string }{
		"none":                   {filepath.Join(dir, "none"), "not to be found"},
		"not on PATH":            {"longshift-no-such-bwrap", "not to be found"},
		"not a program":          {script("text", "") + "x", "not to be found"},
		"something else":         {script("else", "echo hello"), "does not look like bubblewrap"},
		"fails":                  {script("fails", "exit 3"), "exit code 3"},
		"too old":                {script("old", "echo bubblewrap 0.6.1"), "at least 0.8"},
		"refuses":                {script("refuses", version+"echo bwrap: No permissions to create new namespace >&2; exit 1"), "No permissions to create"},
		"does nothing":           {script("nothing", version+"exit 0"), "exit code 0"},
		"confines nothing":       {script("open", version+`while [ "$1" != -- ]; do shift; done; shift; exec "$@"`), "does not hold"},
		"runs the init unboxed":  {script("bare", version+fmt.Sprintf("exec -a longshift-init /proc/%d/exe", os.Getpid())), "does not hold"},
		"leaves the root open":   {strip(t, script, "rw", `--ro-bind / /`, `--bind / /`), "mount /: read-only is false"},
		"leaves /proc open":      {strip(t, script, "proc", `--remount-ro /proc`, ``), "mount /proc: read-only is false"},
		"keeps the network":      {strip(t, script, "net", `--unshare-net`, ``), "layer network"},
		"keeps the host's users": {strip(t, script, "uts", `--unshare-uts --hostname localhost`, ``), "uts"},
		"keeps the processes":    {strip(t, script, "pid", `--unshare-pid --as-pid-1`, ``), "not the first of its own table"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(t.Context(), Config{Bwrap: c.bwrap, Log: slog.New(slog.DiscardHandler)})
			if fault.KindOf(err) != fault.Infra || !strings.Contains(fmt.Sprint(err), c.seen) || !strings.Contains(fault.HintOf(err), WeakenFlag) {
				t.Errorf("got %v (%s)", err, fault.HintOf(err))
			}
		})
	}
}

// strip creates a bubblewrap wrapper that omits one option.
func strip(t *testing.T, script func(name, text string) string, name, old, new string) string {
	t.Helper()
	real, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatal(err)
	}
	// The probe's paths contain no spaces, so the arguments can be handled as one line.
	return script(name, fmt.Sprintf(`line=" $* "; case $line in *' %[1]s '*) ;; *) exec %[3]s "$@";; esac
exec %[3]s ${line%%%% %[1]s *} %[2]s ${line#* %[1]s }`, old, new, real))
}

func TestLayersAreLogged(t *testing.T) {
	theBox(t)
	var log bytes.Buffer
	b, err := New(context.Background(), Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Weaken: map[Layer]bool{LayerSeccomp: true}})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 || !strings.Contains(log.String(), "layer=seccomp") {
		t.Errorf("log: %s", log.String())
	}
	if got := b.Layers(); len(got) != len(AllLayers()) || got[3].Stands || !got[2].Stands || got[2].Detail == "" {
		t.Errorf("got %+v", got)
	}
}

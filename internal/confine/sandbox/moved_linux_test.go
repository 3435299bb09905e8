package sandbox

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// A folder appears at another path, and is writable there; what is at and beside that path outside is invisible.
func TestMoved(t *testing.T) {
	c := workIn(t)
	data := elsewhere(t)
	place, own, other := filepath.Join(data, "place"), filepath.Join(data, "own"), filepath.Join(data, "other")
	for _, dir := range []string{place, own, other} {
		put(t, dir, "from")
		if err := os.WriteFile(filepath.Join(dir, "from"), []byte(filepath.Base(dir)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.Hidden, c.Moved = []string{data}, map[string]string{place: own}
	if got := must(t, c, "cat "+place+"/from; ls "+data+"; echo x > "+place+"/new; mkfifo "+place+"/pipe; mv "+place+" "+place+"2 2>/dev/null || echo held"); got != "own\nplace\nheld\n" {
		t.Errorf("got %q", got)
	}
	fails(t, c, "cat "+own+"/from", "cat "+other+"/from", "echo x > "+data+"/new", "echo x > "+other+"/new")
	if _, err := os.Lstat(filepath.Join(own, "new")); err != nil {
		t.Error(err)
	}
	for _, dir := range []string{place, other} {
		if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
			t.Errorf("%s holds %v, %v", dir, list, err)
		}
	}
	if err := os.Symlink(other, filepath.Join(own, "link")); err != nil {
		t.Fatal(err)
	}
	c.Writable = []string{own}
	for what, moved := range map[string]map[string]string{"behind a link": {place: filepath.Join(own, "link")}, "that is not there": {place: filepath.Join(data, "none")},
		"at a path that is not there": {filepath.Join(data, "none"): own}, "at the root": {"/": own}, "in /proc": {"/proc/sys": own}} {
		c.Moved = moved
		if _, err := theBox(t).Run(t.Context(), bash(c, "true"), process.Limits{}, c); err == nil {
			t.Errorf("a folder %s was mounted", what)
		}
	}
	c.Moved, c.Writable = map[string]string{place: own}, nil
	weak, err := New(t.Context(), Config{Weaken: map[Layer]bool{LayerNamespaces: true, LayerNetwork: true}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = weak.Run(t.Context(), bash(c, "true"), process.Limits{}, c)
	if fault.KindOf(err) != fault.Input {
		t.Errorf("without namespaces: %v", err)
	}
}

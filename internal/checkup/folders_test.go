package checkup

import (
	"context"
	"slices"
	"testing"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/signals"
)

// someGit is a git that tells this as its version.
type someGit string

func (g someGit) Run(context.Context, string, ...string) (string, error) { return string(g), nil }

// A folder for tasks that is not there is named with its variable, because tasks do without it in silence.
func TestFoldersForTasks(t *testing.T) {
	there := t.TempDir()
	m := &Machine{Git: someGit("2.31.0"), Settings: func(config.Config) error { return nil },
		Sandbox: func(context.Context, config.Config) ([]Layer, error) { return nil, nil },
		Work:    func(context.Context, config.Config) ([]Tool, error) { return nil, nil }}
	for name, c := range map[string]struct {
		cache, readable string
		want            []string
	}{
		"none set": {},
		"no cache": {cache: config.CacheNone},
		"there":    {cache: there, readable: there},
		"not there": {"/none/1", "/none/2," + there + ",/none/3", []string{"LONGSHIFT_CACHE: stat /none/1: no such file or directory",
			"LONGSHIFT_READABLE: stat /none/2: no such file or directory", "LONGSHIFT_READABLE: stat /none/3: no such file or directory"}},
	} {
		conf := process(t, map[string]string{"LONGSHIFT_DATA": t.TempDir(), "LONGSHIFT_AGENTS": "native",
			"LONGSHIFT_CACHE": c.cache, "LONGSHIFT_READABLE": c.readable})
		var got []string
		for _, f := range m.All(t.Context(), conf) {
			if f.Check != "folder for tasks" {
				continue
			}
			if got = append(got, f.Detail); f.State != signals.HostWarn || f.Hint == "" {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

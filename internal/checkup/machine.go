package checkup

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
)

// Bounds for what tasks need.
const (
	gitMajor, gitMinor = 2, 31 // the oldest git whose worktrees and configuration by environment we use
	diskLeast          = 500 << 20
	diskGood           = 5 << 30
)

var gitVersion = regexp.MustCompile(`(\d+)\.(\d+)(\.\d+)?`)

// CheckGit looks for a git that is new enough.
func (m *Machine) CheckGit(ctx context.Context) Finding {
	text, err := m.Git.Run(ctx, "/", "version")
	if err != nil {
		return Failed("git", err)
	}
	v := gitVersion.FindStringSubmatch(text)
	if v == nil {
		return warn("git", "can't read its version from "+text, "tasks need git "+fmt.Sprintf("%d.%d", gitMajor, gitMinor))
	}
	major, _ := strconv.Atoi(v[1]) // digits, by the expression
	minor, _ := strconv.Atoi(v[2])
	if major < gitMajor || major == gitMajor && minor < gitMinor {
		return fail("git", "version "+v[0]+" is too old", fmt.Sprintf("install %d.%d or newer", gitMajor, gitMinor))
	}
	return good("git", "version "+v[0])
}

// checkEnvironment looks for variables that are probably misspelt.
func (m *Machine) checkEnvironment() Finding {
	unknown := config.Unknown(m.Vars)
	if len(unknown) == 0 {
		return good("environment", "all LONGSHIFT_ variables are understood")
	}
	var names, hints []string
	for name, meant := range unknown {
		names = append(names, name)
		if meant != "" {
			hints = append(hints, fmt.Sprintf("did you mean %s?", meant))
		}
	}
	slices.Sort(names)
	slices.Sort(hints)
	hint := strings.Join(hints, " ")
	if hint == "" {
		hint = "see `longshift config show` for all variables"
	}
	return warn("environment", "not ours: "+strings.Join(names, ", "), hint)
}

// checkSettings looks whether a worker would start with its settings.
func (m *Machine) checkSettings(conf config.Config) Finding {
	if err := m.Settings(conf); err != nil {
		return Failed("settings", err)
	}
	return good("settings", "a worker starts with them")
}

// checkGrants tells which secrets tasks get, and which ones the worker itself lacks.
func checkGrants(conf config.Config) Finding {
	var granted []string
	for _, g := range conf.Grants() {
		if _, err := g.Read(); err != nil {
			return warn("secrets for tasks", err.Error(), fault.HintOf(err))
		}
		granted = append(granted, fmt.Sprintf("%s for %s of %s", g.Name, strings.Join(g.Parts, ", "), g.Repository))
	}
	return good("secrets for tasks", strings.Join(granted, "; "))
}

// checkSigning looks whether commits can be signed.
func (m *Machine) checkSigning(ctx context.Context, conf config.Config) Finding {
	if err := m.Signing(ctx, conf); err != nil {
		return Failed("signing key", err)
	}
	return good("signing key", conf.Author.SigningKey+" signs commits")
}

// checkObjects looks whether conversations can be kept where other hosts find them.
func (m *Machine) checkObjects(ctx context.Context, conf config.Config) Finding {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	if err := m.Objects(ctx, conf); err != nil {
		return Failed("object store", err)
	}
	return good("object store", "written to and read")
}

// MakeData makes the data folder, for this user alone: it will hold workspaces and logs.
func MakeData(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fault.New(fault.Denied, "make data folder: %w", err).WithHint("set LONGSHIFT_DATA to a folder that you can write to")
	}
	return nil
}

// checkData writes a file into the data folder and removes it.
func checkData(dir string) Finding {
	if err := MakeData(dir); err != nil {
		return Failed("data folder", err)
	}
	file, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return fail("data folder", err.Error(), "set LONGSHIFT_DATA to a folder that you can write to")
	}
	_, err = file.WriteString("ok")
	if closed := file.Close(); err == nil {
		err = closed
	}
	if removed := os.Remove(file.Name()); err == nil {
		err = removed
	}
	if err != nil {
		return fail("data folder", err.Error(), "set LONGSHIFT_DATA to a folder that you can write to")
	}
	return good("data folder", dir)
}

func checkDisk(dir string) Finding {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Failed("disk", fmt.Errorf("read free space: %w", err))
	}
	return freeDisk(uint64(s.Bavail) * uint64(s.Bsize))
}

func freeDisk(free uint64) Finding {
	detail := fmt.Sprintf("%.1f GiB free", float64(free)/(1<<30))
	switch {
	case free < diskLeast:
		return fail("disk", detail, "make room, or set LONGSHIFT_DATA to another disk")
	case free < diskGood:
		return warn("disk", detail, "large repositories will fill it; make room, or set LONGSHIFT_DATA to another disk")
	}
	return good("disk", detail)
}

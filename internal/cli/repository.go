package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

// repository turns what the user gave into what a task takes: owner/name and URLs stay as they are; a path is made
// absolute and must be the top of a git repository. Nothing given means the repository of the current folder, or outside of any the
// current workspace.
func (p *program) repository(ctx context.Context, given string) (string, error) {
	if given == "" {
		if _, err := p.topOf(ctx, p.env.Dir); outsideOfAny(err) {
			if path, chosen, err := p.workspace(); chosen || err != nil {
				return path, err
			}
		}
		return p.here(ctx)
	}
	if path, ok := p.asPath(given); ok {
		return p.checkPath(ctx, path)
	}
	r, err := task.ParseRepository(given)
	if err != nil {
		return "", err
	}
	if r.Path != "" { // file://
		return p.checkPath(ctx, r.Path)
	}
	return r.Text, nil
}

// here is the repository of the current folder.
func (p *program) here(ctx context.Context) (string, error) {
	top, err := p.topOf(ctx, p.env.Dir)
	if err != nil {
		return "", fault.New(fault.Input, "%s is not in a git repository", p.env.Dir).WithHint("go to one, or give --repo owner/name, a git URL or a path")
	}
	return top, nil
}

// asPath tells whether a path was given: it begins like one, or is a folder here and nothing else it could be.
func (p *program) asPath(given string) (string, bool) {
	switch {
	case filepath.IsAbs(given):
		return filepath.Clean(given), true
	case given == "~" || strings.HasPrefix(given, "~/"):
		return filepath.Join(p.env.Get("HOME"), strings.TrimPrefix(given, "~")), true
	case given == "." || given == ".." || strings.HasPrefix(given, "./") || strings.HasPrefix(given, "../"):
		return filepath.Join(p.env.Dir, given), true
	}
	if _, err := task.ParseRepository(given); err == nil || strings.HasPrefix(given, "-") {
		return "", false
	}
	path := filepath.Join(p.env.Dir, given)
	info, err := os.Stat(path)
	return path, err == nil && info.IsDir()
}

func (p *program) checkPath(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fault.New(fault.NotFound, "repository %s: no such folder", path).WithHint("give owner/name, a git URL or the path of a git repository")
	}
	if !info.IsDir() {
		return "", fault.New(fault.Input, "repository %s: not a folder", path).WithHint("give the folder of a git repository")
	}
	top, err := p.topOf(ctx, path)
	if err != nil {
		return "", fault.New(fault.NotFound, "repository %s: not a git repository", path).WithHint("make it one with `git init`, or give another path")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != top {
		return "", fault.New(fault.Input, "repository %s: it lies inside the repository %s", path, top).WithHint("give --repo %s", top)
	}
	return top, nil
}

// topOf gives the top folder of the work tree that dir is in, or the folder of a bare repository.
func (p *program) topOf(ctx context.Context, dir string) (string, error) {
	bare, err := p.git(ctx, dir, "rev-parse", "--is-bare-repository")
	if err != nil {
		return "", err
	}
	if bare == "true" {
		return p.git(ctx, dir, "rev-parse", "--absolute-git-dir")
	}
	return p.git(ctx, dir, "rev-parse", "--show-toplevel")
}

// git runs one git command and gives its output without the last line end. The error is git's own first line.
func (p *program) git(ctx context.Context, dir string, args ...string) (string, error) {
	path, err := p.findProgram("git")
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.Env = append(p.envWithout("GIT_"), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", errors.New(firstLine(errs.String()))
	}
	return strings.TrimRight(out.String(), "\r\n"), nil
}

// findProgram looks a program up in the PATH of our environment.
func (p *program) findProgram(name string) (string, error) {
	for _, dir := range filepath.SplitList(p.env.Get("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(path) && executable(path) {
			return path, nil
		}
	}
	return "", fault.New(fault.NotFound, "%s is not on PATH", name).WithHint("install %s", name)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// bareEnv is what programs get that need nothing of ours: no key, no token.
func (p *program) bareEnv() []string {
	var env []string
	for _, v := range p.env.Vars {
		switch name, _, _ := strings.Cut(v, "="); {
		case name == "PATH", name == "HOME", name == "USER", name == "TMPDIR", name == "TZ", name == "LANG", strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "XDG_"):
			env = append(env, v)
		}
	}
	return env
}

// envWithout gives the environment less the variables that begin with one of the prefixes.
func (p *program) envWithout(prefixes ...string) []string {
	var env []string
next:
	for _, v := range p.env.Vars {
		for _, prefix := range prefixes {
			if strings.HasPrefix(v, prefix) {
				continue next
			}
		}
		env = append(env, v)
	}
	return env
}

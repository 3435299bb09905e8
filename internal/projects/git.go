package projects

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/process"
)

// view is a git directory of ours that shows a project's objects and index. The project's own configuration, which could name
// programs (filters, monitors, pagers), hooks and attributes are not in it; so nothing of the project can be run.
type view struct {
	f    *Folder
	p    Project
	dir  string // ours; the caller removes it
	head string // commit; empty before the first one
}

var errEnough = errors.New("enough")

// view makes a view. Only its first step, which asks for the current commit, reads the project's configuration.
func (f *Folder) view(ctx context.Context, p Project) (v view, err error) {
	if f.git == "" {
		return v, fault.New(fault.NotFound, "git is not on PATH").WithHint("install git")
	}
	v = view{f: f, p: p}
	if info, err := os.Lstat(filepath.Join(v.gitDir(), "index")); err == nil && !info.Mode().IsRegular() {
		return v, v.unreadable() // a link leads elsewhere
	}
	if v.head, err = v.commit(ctx); err != nil {
		return v, err
	}
	if v.dir, err = os.MkdirTemp("", "longshift-project-"); err != nil {
		return v, fault.New(fault.Infra, "make a folder: %w", err)
	}
	defer func() {
		if err != nil {
			os.RemoveAll(v.dir)
		}
	}()
	head, format := v.head, "sha1"
	if head == "" {
		head = "ref: refs/heads/none"
	}
	if len(v.head) == 64 {
		format = "sha256"
	}
	files := map[string]string{"HEAD": head + "\n",
		"config": "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = " + format + "\n"}
	for name, limit := range map[string]int64{"shallow": 1 << 20, "info/exclude": 1 << 20} {
		if content, ok := v.read(name, limit); ok {
			files[name] = content
		}
	}
	for _, dir := range []string{"objects", "refs", "info"} {
		if err := os.Mkdir(filepath.Join(v.dir, dir), 0o700); err != nil {
			return v, fault.New(fault.Infra, "make a folder: %w", err)
		}
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(v.dir, name), []byte(content), 0o600); err != nil {
			return v, fault.New(fault.Infra, "write a file: %w", err)
		}
	}
	return v, nil
}

// gitDir is the project's own.
func (v view) gitDir() string { return gitDirOf(v.p, v.p.Path) }

// read reads a small regular file of the project's git directory.
func (v view) read(name string, limit int64) (string, bool) {
	root, err := os.OpenRoot(v.gitDir())
	if err != nil {
		return "", false
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return "", false
	}
	content, err := fs.ReadFile(root.FS(), name)
	return string(content), err == nil && int64(len(content)) <= limit
}

// commit gives the id of the current commit. Nothing that a configuration can name is run to find it.
func (v view) commit(ctx context.Context) (string, error) {
	out := &bounded{}
	exit, err := v.run(ctx, out, []string{"GIT_DIR=" + v.gitDir(), "GIT_COMMON_DIR=" + v.gitDir()}, "rev-parse", "--verify", "--quiet", "HEAD")
	id := strings.TrimSpace(out.String())
	switch {
	case err != nil:
		return "", err
	case exit.Code == 1 && id == "": // no commit yet
		return "", nil
	case !exit.Success() || len(id) != 40 && len(id) != 64 || strings.Trim(id, "0123456789abcdef") != "":
		return "", v.unreadable()
	}
	return id, nil
}

// git runs a command in the view.
func (v view) git(ctx context.Context, out io.Writer, args ...string) error {
	env := []string{"GIT_DIR=" + v.dir, "GIT_COMMON_DIR=" + v.dir, "GIT_OBJECT_DIRECTORY=" + filepath.Join(v.gitDir(), "objects"),
		"GIT_INDEX_FILE=" + filepath.Join(v.gitDir(), "index")}
	exit, err := v.run(ctx, out, env, args...)
	if err == nil && !exit.Success() {
		err = v.unreadable()
	}
	return err
}

// unreadable repeats nothing of what git says: it could be words of the project.
func (v view) unreadable() error {
	return fault.New(fault.Work, "git can't read workspace %q", v.p.Name).WithHint("look at it with `git status` on its machine")
}

// run runs git with an environment that is built, not filtered: no file of the user or of the system has a say in it, and nothing
// can be fetched.
func (v view) run(ctx context.Context, out io.Writer, where []string, args ...string) (process.Exit, error) {
	env := append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none", "GIT_PAGER=cat", "GIT_EDITOR=:", "GIT_ASKPASS=" + os.DevNull,
	}, where...)
	if !v.p.Bare {
		env = append(env, "GIT_WORK_TREE="+v.p.Path)
	}
	base := []string{"--no-pager", "--no-optional-locks", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.attributesFile=" + os.DevNull,
		"-c", "core.excludesFile=" + os.DevNull, "-c", "core.pager=cat", "-c", "log.showSignature=false", "-c", "submodule.recurse=false", "-c", "gc.auto=0"}
	exit, _, err := process.Direct(ctx, process.Spec{Path: v.f.git, Args: append(base, args...), Dir: v.p.Path, Env: env}, out)
	switch {
	case err == nil:
		return exit, nil
	case ctx.Err() != nil:
		return exit, fault.New(fault.Infra, "git takes too long in workspace %q", v.p.Name).WithHint("try again later")
	}
	return exit, v.unreadable()
}

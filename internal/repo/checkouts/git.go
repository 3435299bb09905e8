package checkouts

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// view is a temporary git directory that refers to a project's objects and index. It contains none of the project's configuration (which
// could name programs such as filters, monitors and pagers), hooks or attributes, so git never runs anything that the project names.
type view struct {
	f    *Folder
	p    Project
	dir  string // temporary directory; the caller removes it
	head string // commit; empty before the first one
}

// view creates a view. Only its first step, which resolves the current commit, reads the project's configuration.
func (f *Folder) view(ctx context.Context, p Project) (v view, err error) {
	if f.git == "" {
		return v, fault.New(fault.NotFound, "git is not on PATH").WithHint("install git")
	}
	v = view{f: f, p: p}
	if info, err := os.Lstat(filepath.Join(v.gitDir(), "index")); err == nil && !info.Mode().IsRegular() {
		return v, v.unreadable() // it is a link or a special file
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

// commit returns the id of the current commit. Git runs nothing that a configuration can name to find it.
func (v view) commit(ctx context.Context) (string, error) {
	g := v.program("GIT_DIR="+v.gitDir(), "GIT_COMMON_DIR="+v.gitDir())
	g.Limit = mostPrint
	out, err := g.Output(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD")
	id := strings.TrimSpace(out)
	switch {
	case git.ExitCode(err) == 1 && id == "": // no commit yet
		return "", nil
	case err != nil || len(id) != 40 && len(id) != 64 || strings.Trim(id, "0123456789abcdef") != "":
		return "", v.failure(ctx)
	}
	return id, nil
}

// git runs a command in the view and fails when it prints more than limit bytes; 0 for no limit.
func (v view) git(ctx context.Context, out io.Writer, limit int64, args ...string) error {
	g := v.program("GIT_DIR="+v.dir, "GIT_COMMON_DIR="+v.dir, "GIT_OBJECT_DIRECTORY="+filepath.Join(v.gitDir(), "objects"),
		"GIT_INDEX_FILE="+filepath.Join(v.gitDir(), "index"))
	g.Limit = limit
	if g.Run(ctx, nil, out, args...) != nil {
		return v.failure(ctx)
	}
	return nil
}

// failure is the error for a failed git. It leaves out git's output, which the project may control.
func (v view) failure(ctx context.Context) error {
	if ctx.Err() != nil {
		return fault.New(fault.Infra, "git takes too long in workspace %q", v.p.Name).WithHint("try again later")
	}
	return v.unreadable()
}

func (v view) unreadable() error {
	return fault.New(fault.Work, "git can't read workspace %q", v.p.Name).WithHint("look at it with `git status` on its machine")
}

// program is git in the project's folder, for commands that only read.
func (v view) program(where ...string) git.Git {
	if !v.p.Bare {
		where = append(where, "GIT_WORK_TREE="+v.p.Path)
	}
	return git.Git{Program: v.f.git, Dir: v.p.Path, Env: append(where, "GIT_OPTIONAL_LOCKS=0")}
}

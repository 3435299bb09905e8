// Package checkouts reads the folders directly below one folder of the operator: their names, and what git knows of them. It only reads,
// and trusts no project: no name or link leads out of the folder, and nothing that a project's files or git configuration name is run. It
// must not know tasks in Temporal, chats or the command line.
package checkouts

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Variable is the environment variable that names the folder.
const Variable = "LONGSHIFT_PROJECTS"

// NotSet is the error when no folder is configured.
func NotSet() error {
	return fault.New(fault.Input, "there are no workspaces: %s is not set", Variable).
		WithHint("set it to the folder that your projects lie in")
}

type Project struct {
	Name       string `json:"name"`
	Path       string `json:"path"`             // absolute, without links
	Repository bool   `json:"repository"`       // a git repository; a .git that is a link or a file points elsewhere and does not count
	Bare       bool   `json:"bare,omitempty"`   // without a work tree
	Branch     string `json:"branch,omitempty"` // current branch; empty when HEAD is detached, or in a reftable
}

// Folder lists and describes projects. It is safe for concurrent use and keeps nothing open.
type Folder struct {
	dir string // without links
	git string // absolute path; empty when git is not installed
}

// Open opens a folder. Its path may contain links. git is the program's absolute path; empty looks it up in PATH. Errors are faults of
// kind Input.
func Open(dir, git string) (*Folder, error) {
	bad := func(why string) error {
		return fault.New(fault.Input, "%s=%q: %s", Variable, dir, why).WithHint("give the absolute path of the folder that your projects lie in")
	}
	if !filepath.IsAbs(dir) {
		return nil, bad("not an absolute path")
	}
	real, err := filepath.EvalSymlinks(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, bad("no such folder")
	case err != nil:
		return nil, bad("can't be read")
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return nil, bad("not a folder")
	}
	if git == "" {
		git, _ = exec.LookPath("git") // reported when git is needed
	}
	return &Folder{dir: real, git: git}, nil
}

// Dir is the folder's absolute path without links.
func (f *Folder) Dir() string { return f.dir }

// Find returns the project with a name. Kinds of its errors: Input for an invalid name or a link, NotFound and Denied.
func (f *Folder) Find(name string) (Project, error) {
	if err := task.CheckWorkspaceName(name); err != nil {
		return Project{}, err
	}
	root, err := f.open()
	if err != nil {
		return Project{}, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Project{}, fault.New(fault.NotFound, "there is no workspace %q", name).WithHint("see `workspaces list`")
	case err != nil:
		return Project{}, fault.New(fault.Denied, "workspace %q can't be read", name).WithHint("check who may read it")
	case info.Mode()&fs.ModeSymlink != 0:
		return Project{}, fault.New(fault.Input, "workspace %q is a link, which could lead elsewhere", name).
			WithHint("move the folder itself into the projects folder")
	case !info.IsDir():
		return Project{}, fault.New(fault.Input, "workspace %q is not a folder", name).WithHint("see `workspaces list`")
	}
	return f.look(root, name), nil
}

// List returns the projects, sorted by name. It skips those that Find would refuse.
func (f *Folder) List(ctx context.Context) ([]Project, error) {
	root, err := f.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".") // sorted by name
	if err != nil {
		return nil, fault.New(fault.Denied, "the projects folder can't be read").WithHint("check who may read %s", Variable)
	}
	all := []Project{}
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !e.IsDir() || task.CheckWorkspaceName(e.Name()) != nil { // for a link this is the type of the link itself
			continue
		}
		all = append(all, f.look(root, e.Name()))
	}
	return all, nil
}

func (f *Folder) open() (*os.Root, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, fault.New(fault.NotFound, "the projects folder is gone or can't be read").WithHint("check %s", Variable)
	}
	return root, nil
}

// Commit is one of a project's newest commits. Its texts are on one line, without invisible characters.
type Commit struct {
	ID      string    `json:"id"` // short
	Subject string    `json:"subject"`
	Author  string    `json:"author"`
	Time    time.Time `json:"time"` // commit date
}

type Info struct {
	Project
	Files   int      `json:"files"`             // tracked files; all regular files outside of a repository
	AtLeast bool     `json:"atLeast,omitempty"` // counting stopped at a limit
	Dirty   bool     `json:"dirty"`             // there are uncommitted changes or untracked files
	Commits []Commit `json:"commits"`           // of the current branch, newest first
}

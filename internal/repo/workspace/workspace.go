// Package workspace keeps the git side of a task: its work tree, branch, commits, checkpoints and fence.
//
// A task has two git directories. Ours is outside the work tree: we write its configuration and compare it before each use. The other is
// .git in the work tree and belongs to the agent: we write it, and read only commit ids, objects and the names in its index. So no hook,
// filter, monitor or helper that a repository or an agent names ever runs here.
//
// The package runs only git, which runs our own filters for Git LFS. It knows no forge and no agent, and does not decide when to commit.
package workspace

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/remove"
	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/internal/repo/lfs"
	"github.com/longshift/longshift/task"
)

// Person is the author of commits.
type Person struct{ Name, Email string }

// Auth is the login for a remote over http and https. The zero value is anonymous.
type Auth struct {
	User  string // "x-access-token" when empty
	Token string
}

// Config is what a Manager needs. Dir, Author and RemoteURL are required.
type Config struct {
	Dir        string // data directory, absolute
	Author     Person
	SigningKey string                                               // SSH key path or GPG key id that signs commits; "" for none
	Auth       func(context.Context, task.Repository) (Auth, error) // called at each use; nil for no login
	RemoteURL  func(task.Repository) (string, error)                // a URL or an absolute path
	Silence    time.Duration                                        // a remote that sends nothing for this long counts as down; 0 for 60 s
	Environ    []string                                             // with proxies, certificates and the ssh agent; nil for os.Environ
	Log        *slog.Logger                                         // nil for no log
	Now        func() time.Time                                     // nil for time.Now
}

// Manager manages the workspaces of one data directory. Many goroutines and processes may use it at once.
type Manager struct {
	config  Config
	runner  *runner
	remotes *remotes
	mirrors *mirrors
	locks   locks
	signer  *commitSigner
	client  *http.Client // for Git LFS
	log     *slog.Logger

	mostFilled int64                   // bytes
	discard    func(path string) error // remove.All, replaced by tests that simulate a crash
}

// New validates the configuration and finds git.
func New(c Config) (*Manager, error) {
	if !filepath.IsAbs(c.Dir) || c.RemoteURL == nil {
		return nil, errors.New("workspace needs an absolute data directory and a RemoteURL")
	}
	if c.Author.Name == "" || c.Author.Email == "" {
		return nil, fault.New(fault.Input, "the author of commits has no name or no email").
			WithHint("set LONGSHIFT_AUTHOR_NAME and LONGSHIFT_AUTHOR_EMAIL")
	}
	if c.Environ == nil {
		c.Environ = os.Environ()
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fault.New(fault.Input, "find git: %w", err).WithHint("install git on this host")
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Silence <= 0 {
		c.Silence = time.Minute
	}
	m := &Manager{config: c, locks: locks{filepath.Join(c.Dir, "locks")}, log: c.Log, mostFilled: mostFilled, discard: remove.All}
	m.mirrors = &mirrors{dir: filepath.Join(c.Dir, "mirrors"), locks: m.locks, log: c.Log}
	m.runner = &runner{git: git.Git{Program: program, Environ: c.Environ, Author: git.Person(c.Author)}, signing: signing(c.SigningKey),
		data: c.Dir, most: mostListed, idle: m.mirrors.dir, log: c.Log}
	m.mirrors.runner = m.runner
	m.remotes = &remotes{address: c.RemoteURL, login: c.Auth, dir: m.mirrors.dir, runner: m.runner, ssh: sshEnv(c), env: networkEnv(c),
		silence: c.Silence}
	m.signer = &commitSigner{key: c.SigningKey, env: signEnv(c), within: signWithin, runner: m.runner}
	m.client = lfs.NewClient(func(name string) string { return git.Lookup(c.Environ, name) }, c.Silence)
	for _, dir := range []string{m.mirrors.dir, m.tasks(), m.locks.dir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fault.New(fault.Infra, "make data directory: %w", err)
		}
	}
	return m, nil
}

// Spec describes the workspace to prepare.
type Spec struct {
	TaskID     string // letters, digits, dot, dash, underscore; part of folder and ref names
	Repository task.Repository
	Fork       *task.Repository // repository of the task's branch and refs; nil for Repository
	Base       string           // branch to start from; "" for the remote's default
	Branch     string           // the task's own branch
	Fence      int              // attempt of the task, starting at 1
	Continue   bool             // Branch is already on the remote and the task continues on it; Base must be set
	Reported   []string         // heads that were reported for the workspace before; the last one is the task's current head
}

// Workspace describes a prepared workspace.
type Workspace struct {
	Dir        string // the work tree, absolute
	BaseBranch string
	BaseCommit string // where the task, or this round of it, started; "" when the repository had no commit
	Head       string // "" when there is no commit yet
	Branch     string
	Rival      string // ref on its remote that left no room for Branch, which can't be pushed then; "" for none
	Restored   bool   // made from the task's checkpoint on the remote
	Behind     bool   // Head lacks the last reported head: it is an earlier head of the task
	Snapshot   bool   // the work tree holds uncommitted work that another host has pushed
	Empty      bool   // the repository had no commit
	Merging    string // base branch commit whose merge waits for the next Commit; "" when none does
	Unfilled   string // files of Git LFS without their content: they are pointers in the work tree
}

var taskID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

func checkTaskID(id string) error {
	if !taskID.MatchString(id) || strings.Contains(id, "..") || strings.HasSuffix(id, ".lock") || strings.HasSuffix(id, ".") {
		return fault.New(fault.Input, "task id %q can't name a folder and a ref", id).
			WithHint("use letters, digits, dots, dashes and underscores")
	}
	return nil
}

// checkBranch applies git's own rules for ref names.
func checkBranch(field, name string) error {
	bad := name == "" || len(name) > 200 || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "~^:?*[\\")
	for _, part := range []string{"..", "//", "/.", "@{", "./", ".lock/"} {
		bad = bad || strings.Contains("/"+name+"/", part)
	}
	for _, r := range name {
		bad = bad || r <= ' ' || r == 0x7f || r == utf8.RuneError
	}
	if bad {
		return fault.New(fault.Input, "%s %q is not a branch name", field, name).
			WithHint("use letters, digits, dashes, dots and slashes")
	}
	return nil
}

func (s Spec) check() error {
	if err := checkTaskID(s.TaskID); err != nil {
		return err
	}
	if err := checkBranch("branch", s.Branch); err != nil {
		return err
	}
	if s.Base != "" {
		if err := checkBranch("base", s.Base); err != nil {
			return err
		}
	}
	if s.Continue && s.Base == "" {
		return fault.New(fault.Input, "field base is empty, and branch %q is the one to continue", s.Branch).
			WithHint("name the branch that the pull request should be merged into")
	}
	if s.Base == s.Branch {
		return fault.New(fault.Input, "branch %q is the base itself", s.Branch).WithHint("a task works on a branch of its own")
	}
	if s.Fence < 1 {
		return fault.New(fault.Internal, "fence %d of task %s is below 1", s.Fence, s.TaskID)
	}
	return nil
}

package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// ready is the file that marks a git directory whose work tree was checked out completely.
func (p place) ready() string { return filepath.Join(p.git(), "ready") }

// guessState reconstructs the state from a complete git directory. The rest comes from the remote.
func (m *Manager) guessState(ctx context.Context, p place, s Spec) (state, error) {
	mirror, err := os.ReadFile(p.ready())
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	} else if err != nil {
		return state{}, fmt.Errorf("read git folder: %w", err)
	}
	st := state{TaskID: s.TaskID, Repository: s.Repository, Fork: s.Fork, Format: "sha1", Mirror: strings.TrimSpace(string(mirror))}
	if config, err := os.ReadFile(filepath.Join(p.git(), "config")); err == nil && strings.Contains(string(config), "sha256") {
		st.Format = "sha256"
	}
	base, err := repo{runner: m.runner, dir: p.git()}.ref(ctx, "refs/longshift/base")
	st.Record = record{BaseBranch: s.Base, Base: base, Branch: s.Branch}
	return st, err
}

// unsound returns why a workspace can't be used, nil if it can.
func (o *opened) unsound(ctx context.Context) error {
	if info, err := os.Lstat(o.place.work()); err != nil || !info.IsDir() {
		return errors.New("the work tree is missing")
	}
	if _, err := os.Stat(o.place.ready()); err != nil {
		return errors.New("the git folder is not complete")
	}
	if err := o.enforce(ctx); err != nil {
		return err
	}
	head, err := o.branch.head(ctx)
	if err != nil || head == "" && o.state.empty() {
		return err
	}
	if head == "" {
		return errors.New("the branch is missing")
	}
	_, err = o.bare.run(ctx, "rev-list", "--objects", "--max-count=1", "--quiet", head)
	return err
}

// momentary tells whether an error says nothing about what git was to look at: git was killed or could not be started, or the disk or the remote
// is to blame.
func momentary(err error) bool {
	short := func(errno syscall.Errno) bool { return errors.Is(err, errno) }
	return git.Killed(err) || fault.KindOf(err) == fault.Infra ||
		slices.ContainsFunc([]syscall.Errno{syscall.EAGAIN, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}, short)
}

// clear makes room for a new workspace by renaming what is there.
func (p place) clear() error {
	aside := ""
	for n := 1; aside == ""; n++ {
		if dir := fmt.Sprintf("%s-%d", filepath.Join(p.dir, "damaged"), n); !exists(dir) {
			aside = dir
		}
	}
	for _, path := range []string{p.git(), p.work(), p.state()} {
		if !exists(path) {
			continue
		}
		if path == p.git() && !exists(p.ready()) { // it was never completed, so it holds no work
			if err := errors.Join(os.RemoveAll(p.git()), os.RemoveAll(p.work())); err != nil {
				return fmt.Errorf("remove a half-made workspace: %w", err)
			}
			continue
		}
		if err := os.MkdirAll(aside, 0o700); err != nil {
			return disk.Fault(fmt.Errorf("put a damaged workspace aside: %w", err), p.dir)
		}
		if err := os.Rename(path, filepath.Join(aside, filepath.Base(path))); err != nil {
			return fmt.Errorf("put a damaged workspace aside: %w", err)
		}
	}
	return nil
}

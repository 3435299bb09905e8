package checkouts

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

const (
	newest    = 5                // commits shown
	mostFiles = 100_000          // limit where files are counted without git
	within    = 20 * time.Second // time limit for all of it
	mostPrint = 64 << 10         // bytes of git's output
)

// Info reads the details of one project. Errors are those of Find, and Work when git can't read the repository.
func (f *Folder) Info(ctx context.Context, name string) (Info, error) {
	p, err := f.Find(name)
	if err != nil {
		return Info{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	info := Info{Project: p, Commits: []Commit{}}
	if !p.Repository {
		info.Files, info.AtLeast, err = f.count(ctx, name)
		return info, err
	}
	v, err := f.view(ctx, p)
	if err != nil {
		return Info{}, err
	}
	defer os.RemoveAll(v.dir)
	for _, read := range []func(context.Context, *Info) error{v.files, v.dirty, v.commits} {
		if err := read(ctx, &info); err != nil {
			return Info{}, err
		}
	}
	return info, nil
}

// count counts regular files. Links are not followed.
func (f *Folder) count(ctx context.Context, name string) (files int, atLeast bool, err error) {
	root, err := f.open()
	if err != nil {
		return 0, false, err
	}
	defer root.Close()
	dir, err := root.OpenRoot(name)
	if err != nil {
		return 0, false, fault.New(fault.Denied, "workspace %q can't be read", name).WithHint("check who may read it")
	}
	defer dir.Close()
	seen := 0
	err = fs.WalkDir(dir.FS(), ".", func(_ string, e fs.DirEntry, err error) error {
		if seen++; seen > mostFiles || ctx.Err() != nil {
			atLeast = true
			return fs.SkipAll
		}
		if err == nil && e.Type().IsRegular() {
			files++
		}
		return nil // skip what can't be read
	})
	return files, atLeast, err
}

// files counts the tracked files.
func (v view) files(ctx context.Context, info *Info) error {
	args := []string{"ls-files", "-z"}
	if v.p.Bare {
		if v.head == "" {
			return nil
		}
		args = []string{"ls-tree", "-r", "-z", "--name-only", v.head}
	}
	n := &counter{}
	err := v.git(ctx, n, 0, args...)
	info.Files = n.n
	return err
}

// counter counts NUL bytes.
type counter struct{ n int }

func (c *counter) Write(b []byte) (int, error) {
	c.n += bytes.Count(b, []byte{0})
	return len(b), nil
}

// dirty reports whether anything differs from the last commit. It skips submodules, which have a configuration of their own. It runs no
// filters either: a file that is stored in another form and has a new modification time counts as changed.
func (v view) dirty(ctx context.Context, info *Info) error {
	if v.p.Bare {
		return nil
	}
	w := &first{}
	err := v.git(ctx, w, 0, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal", "--ignore-submodules=all")
	if info.Dirty = w.some; info.Dirty {
		return nil // stopped early: one change is enough
	}
	return err
}

var errEnough = errors.New("enough")

// first notes that something was written and then refuses more.
type first struct{ some bool }

func (f *first) Write(b []byte) (int, error) {
	f.some = f.some || len(b) > 0
	return 0, errEnough
}

func (v view) commits(ctx context.Context, info *Info) error {
	if v.head == "" {
		return nil
	}
	var out strings.Builder // the message can be arbitrarily long
	err := v.git(ctx, &out, mostPrint, "log", "-z", "-n", strconv.Itoa(newest), "--no-show-signature", "--no-color", "--encoding=UTF-8",
		"--no-use-mailmap", "--format=%h%x00%ct%x00%<(100,trunc)%an%x00%<(200,trunc)%s", v.head, "--")
	if err != nil {
		return err
	}
	fields := strings.Split(out.String(), "\x00")
	for ; len(fields) >= 4; fields = fields[4:] {
		at, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return fault.New(fault.Work, "git can't show the commits of workspace %q", v.p.Name)
		}
		c := Commit{ID: oneLine(fields[0]), Author: oneLine(fields[2]), Subject: oneLine(fields[3]), Time: time.Unix(at, 0).UTC()}
		info.Commits = append(info.Commits, c)
	}
	return nil
}

// oneLine returns the text on one line, without invisible characters.
func oneLine(s string) string { return excerpt.OneLine(task.Visible(s)) }

// Package heartbeat takes work from one Markdown file in a work tree on this machine, which lists what is to be done, and writes into a
// section of its own there what came of it. It touches nothing else in the work tree, keeps what it knows about tasks in the worker's
// state folder, and never loses a word that a person writes meanwhile.
package heartbeat

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/workfile"
)

// File is the file when a query does not say.
const File = "HEARTBEAT.md"

// Title is what a task of the file is called.
const Title = "Process heartbeat"

// Config is what a Source needs.
type Config struct {
	State string        // absolute path of a folder for marks about work: outside of the repositories, and the same after a restart
	Quiet time.Duration // the file is not listed until nobody has written to it for so long
	Git   string        // the git program; "git" on the PATH when empty
	Now   func() time.Time
	Log   *slog.Logger
}

// Source is a heartbeat file. It is safe for concurrent use, also by several processes of one machine that share the state folder.
type Source struct {
	state, git string
	calm       time.Duration
	now        func() time.Time
	log        *slog.Logger
}

var (
	_ intake.Source   = (*Source)(nil)
	_ intake.Reporter = (*Source)(nil)
)

// New makes a source.
func New(c Config) *Source {
	s := &Source{state: c.State, git: c.Git, calm: c.Quiet, now: c.Now, log: c.Log}
	if s.git == "" {
		s.git = "git"
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// desk is the file's folder, open.
type desk struct {
	*workfile.MarkedFolder
	slug string
	name string // of the file
}

func (s *Source) open(ctx context.Context, q intake.Query) (*desk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(s.state) {
		return nil, fault.New(fault.Input, "heartbeat: the state folder %q is not an absolute path", s.state)
	}
	at := q.Path
	if at == "" {
		at = File
	}
	at = path.Clean(filepath.ToSlash(at))
	dir, name := path.Dir(at), path.Base(at)
	if name == "." || name == ".." || name == "/" || strings.EqualFold(name, ".git") {
		return nil, fault.New(fault.Input, "heartbeat: path %q is not a file below the repository", q.Path).WithHint("give a relative path, such as %s", File)
	}
	f, err := workfile.Open(q.Repository, dir)
	if err != nil {
		return nil, fmt.Errorf("heartbeat: %w", err)
	}
	more := at
	if at == File {
		more = ""
	}
	slug := f.Slug(more)
	d := &desk{&workfile.MarkedFolder{Folder: f, Marks: workfile.NewMarks(s.state, "heartbeat-"+slug)}, slug, name}
	d.MayGo = d.mayGo
	return d, nil
}

// mayGo: the file is never taken away by us, so what lies aside goes back, unless a new version has its name already and it is the one
// that a task has had.
func (d *desk) mayGo(all []workfile.Mark, name string, content workfile.File, there bool) bool {
	if !there || name != d.name || content.Size > workfile.Most {
		return false
	}
	sum := split(content.Data).sum()
	now, err := d.Read(name)
	return err == nil && (split(now.Data).sum() == sum || workfile.Of(all, name, sum) != nil)
}

func (d *desk) checkKey(key string) error {
	if key == d.name {
		return nil
	}
	return fault.New(fault.NotFound, "heartbeat: there is no %.80q: the file is %s", key, d.Name(d.name))
}

func (d *desk) id(sum string) string { return fmt.Sprintf("heartbeat:%s:%.8s", d.slug, sum) }

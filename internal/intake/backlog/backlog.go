// Package backlog takes work from a folder of Markdown files in a work tree on this machine: each file is an order, and goes when its
// task has ended well. It touches nothing else in the work tree, keeps what it knows about tasks in the worker's state folder, and never
// loses a word that a person writes meanwhile.
package backlog

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/workfile"
)

// Folder is where the files lie when a query does not say.
const Folder = "backlog"

// Config is what a Source needs.
type Config struct {
	State string        // absolute path of a folder for marks about work: outside of the repositories, and the same after a restart
	Quiet time.Duration // nothing is listed until nobody has written to a file of the folder for so long
	Now   func() time.Time
	Log   *slog.Logger
}

// Source is a backlog folder. It is safe for concurrent use, also by several processes of one machine that share the state folder.
type Source struct {
	state string
	calm  time.Duration
	now   func() time.Time
	log   *slog.Logger
}

var (
	_ intake.Source   = (*Source)(nil)
	_ intake.Reporter = (*Source)(nil)
)

// New makes a source.
func New(c Config) *Source {
	s := &Source{state: c.State, calm: c.Quiet, now: c.Now, log: c.Log}
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// desk is the folder, open.
type desk struct {
	*workfile.MarkedFolder
	slug string
}

func (s *Source) open(ctx context.Context, q intake.Query) (*desk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(s.state) {
		return nil, fault.New(fault.Input, "backlog: the state folder %q is not an absolute path", s.state)
	}
	path, more := q.Path, q.Path
	if path == "" {
		path = Folder
	}
	if filepath.Clean(path) == Folder {
		more = ""
	}
	f, err := workfile.Open(q.Repository, path)
	if err != nil {
		return nil, fmt.Errorf("backlog: %w", err)
	}
	slug := f.Slug(more)
	return &desk{&workfile.MarkedFolder{Folder: f, Marks: workfile.NewMarks(s.state, "backlog-"+slug), MayGo: mayGo}, slug}, nil
}

// mayGo: what lies aside goes when a task has ended well with this text, and goes back otherwise.
func mayGo(all []workfile.Mark, name string, content workfile.File, _ bool) bool {
	m := workfile.Of(all, name, content.Sum())
	return m != nil && m.Removing
}

// fits tells whether a file of this name is work: a Markdown file whose name can stand in a line, a command and a message.
func fits(name string) bool {
	return len(name) > len(".md") && strings.EqualFold(filepath.Ext(name), ".md") && !strings.HasPrefix(name, ".") &&
		!strings.HasPrefix(name, "-") && utf8.ValidString(name) && !strings.ContainsAny(name, `/\`) &&
		strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

func checkKey(key string) error {
	if fits(key) {
		return nil
	}
	return fault.New(fault.Input, "backlog: %.80q is not the name of a Markdown file", key).WithHint("give a name as the list has it, such as 010-login.md")
}

// read reads a file that a key names.
func (d *desk) read(key string) (workfile.File, error) {
	if err := checkKey(key); err != nil {
		return workfile.File{}, err
	}
	return d.Read(key)
}

// id names the one task of a text.
func (d *desk) id(key, sum string) string {
	stem := strings.TrimSuffix(key, filepath.Ext(key))
	slug := task.Slug(stem, 80)
	if slug+".md" != key { // other names have the same slug
		slug = strings.TrimPrefix(fmt.Sprintf("%s-%.8s", slug, workfile.Sum([]byte(key))), "-")
	}
	return fmt.Sprintf("backlog:%s:%s:%.8s", d.slug, slug, sum)
}

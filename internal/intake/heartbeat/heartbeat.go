// Package heartbeat finds work in one Markdown file of a local work tree that lists what to do, and writes the results into a section of
// its own in that file. It changes nothing else in the work tree, keeps its records of tasks in the worker's state folder, and never
// loses text that a person writes meanwhile.
package heartbeat

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
)

// File is the file when a query names none.
const File = "HEARTBEAT.md"

// Title is the title of the file's tasks.
const Title = "Process heartbeat"

// Source is a heartbeat file. It is safe for concurrent use, also by several processes of one machine that share the state folder.
type Source struct{ config workfile.Config }

var (
	_ intake.Source   = (*Source)(nil)
	_ intake.Reporter = (*Source)(nil)
)

func New(c workfile.Config) *Source { return &Source{c.Filled()} }

// desk is the opened folder of the file.
type desk struct {
	*workfile.MarkedFolder
	name string // name of the file
}

func (s *Source) open(ctx context.Context, q intake.Query) (*desk, error) {
	at := cmp.Or(q.Path, File)
	at = path.Clean(filepath.ToSlash(at))
	dir, name := path.Dir(at), path.Base(at)
	if name == "." || name == ".." || name == "/" || strings.EqualFold(name, ".git") {
		return nil, fault.New(fault.Input, "heartbeat: path %q is not a file below the repository", q.Path).
			WithHint("give a relative path, such as %s", File)
	}
	more := at
	if at == File {
		more = ""
	}
	f, err := s.config.Open(ctx, "heartbeat", q.Repository, dir, more)
	if err != nil {
		return nil, err
	}
	d := &desk{f, name}
	d.MayGo = d.mayGo
	return d, nil
}

// mayGo decides about a version left aside by a crash. The file is never removed, so the version is put back, unless a newer one already
// has the name and a task has had the old one.
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

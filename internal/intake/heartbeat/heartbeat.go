// Package heartbeat takes work from one Markdown file in a work tree on this machine, which lists what is to be done, and writes into a
// section of its own there what came of it. It touches nothing else in the work tree, keeps what it knows about tasks in the worker's
// state folder, and never loses a word that a person writes meanwhile.
package heartbeat

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
)

// File is the file when a query does not say.
const File = "HEARTBEAT.md"

// Title is what a task of the file is called.
const Title = "Process heartbeat"

// Source is a heartbeat file. It is safe for concurrent use, also by several processes of one machine that share the state folder.
type Source struct{ config workfile.Config }

var (
	_ intake.Source   = (*Source)(nil)
	_ intake.Reporter = (*Source)(nil)
)

// New makes a source.
func New(c workfile.Config) *Source { return &Source{c.Filled()} }

// desk is the file's folder, open.
type desk struct {
	*workfile.MarkedFolder
	name string // of the file
}

func (s *Source) open(ctx context.Context, q intake.Query) (*desk, error) {
	at := q.Path
	if at == "" {
		at = File
	}
	at = path.Clean(filepath.ToSlash(at))
	dir, name := path.Dir(at), path.Base(at)
	if name == "." || name == ".." || name == "/" || strings.EqualFold(name, ".git") {
		return nil, fault.New(fault.Input, "heartbeat: path %q is not a file below the repository", q.Path).WithHint("give a relative path, such as %s", File)
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

func (d *desk) id(sum string) string { return fmt.Sprintf("heartbeat:%s:%.8s", d.ID, sum) }

// Package backlog finds work in a folder of Markdown files in a local work tree: each file is an order and is removed when its task has
// succeeded. It changes nothing else in the work tree, keeps its records of tasks in the worker's state folder, and never loses text that
// a person writes meanwhile.
package backlog

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/task"
)

// Folder is the folder when a query names none.
const Folder = "backlog"

// Source is a backlog folder. It is safe for concurrent use, also by several processes of one machine that share the state folder.
type Source struct{ config workfile.Config }

var (
	_ intake.Source   = (*Source)(nil)
	_ intake.Reporter = (*Source)(nil)
)

func New(c workfile.Config) *Source { return &Source{c.Filled()} }

// desk is the opened folder.
type desk struct{ *workfile.MarkedFolder }

func (s *Source) open(ctx context.Context, q intake.Query) (*desk, error) {
	path, more := q.Path, q.Path
	path = cmp.Or(path, Folder)
	if filepath.Clean(path) == Folder {
		more = ""
	}
	f, err := s.config.Open(ctx, "backlog", q.Repository, path, more)
	if err != nil {
		return nil, err
	}
	f.MayGo = mayGo
	return &desk{f}, nil
}

// mayGo decides about a file left aside by a crash: it is removed if a task has succeeded with this text, and put back otherwise.
func mayGo(all []workfile.Mark, name string, content workfile.File, _ bool) bool {
	m := workfile.Of(all, name, content.Sum())
	return m != nil && m.Removing
}

// fits reports whether a file name can be work: a Markdown file whose name is safe in a line, a command and a message.
func fits(name string) bool {
	return len(name) > len(".md") && strings.EqualFold(filepath.Ext(name), ".md") && !strings.HasPrefix(name, ".") &&
		!strings.HasPrefix(name, "-") && utf8.ValidString(name) && !strings.ContainsAny(name, `/\`) &&
		strings.IndexFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

func checkKey(key string) error {
	if fits(key) {
		return nil
	}
	return fault.New(fault.Input, "backlog: %.80q is not the name of a Markdown file", key).
		WithHint("give a name as the list has it, such as 010-login.md")
}

// read reads the file that a key names.
func (d *desk) read(key string) (workfile.File, error) {
	if err := checkKey(key); err != nil {
		return workfile.File{}, err
	}
	return d.Read(key)
}

// id is the workflow id of the one task for a text.
func (d *desk) id(key, sum string) string {
	stem := strings.TrimSuffix(key, filepath.Ext(key))
	slug := task.Slug(stem, 80)
	if slug+".md" != key { // several names can have the same slug
		slug = strings.TrimPrefix(fmt.Sprintf("%s-%.8s", slug, workfile.Sum([]byte(key))), "-")
	}
	return fmt.Sprintf("backlog:%s:%s:%.8s", d.ID, slug, sum)
}

// Package redact removes secrets from outgoing text: logs, events, history, commits, pull requests. It finds the exact
// values that the process holds, including the encodings a model is most easily talked into, and the public formats of
// tokens. The first is a guarantee, the second is best effort, and neither finds what a program hides on purpose. The
// package may not decide where text goes, and it never returns a secret.
package redact

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Mark replaces a secret.
const Mark = "[hidden]"

const (
	tiny = 4 // shorter values are not searched for, in bytes
	// short is the length below which values are only hidden as literal, whole words, because they are too common
	// otherwise.
	short = 8
	most  = 64 // values that were added
)

// rounds is how often String searches its own result: the text around a removed secret may form another one.
const rounds = 4

// Redactor replaces secrets. The zero value and nil know no values, but still hide tokens by their format. It is safe
// for concurrent use.
type Redactor struct {
	adding sync.Mutex // held while index is replaced
	index  atomic.Pointer[index]
	first  int // how many values New was given: they are never forgotten
}

// New returns a Redactor that knows these values.
func New(values ...string) *Redactor {
	r := &Redactor{}
	r.Add(values...)
	r.first = len(r.now().values)
	return r
}

// Add adds values, such as a key that was rotated on disk. Known values are cheap to add again, so it may be called at
// every use of a key. Older values stay known, the last 64 of them and those that New was given.
func (r *Redactor) Add(values ...string) {
	fresh := func(x *index) (out []string) {
		for _, v := range values {
			if v = strings.TrimSpace(v); len(v) >= tiny && !strings.Contains(Mark, v) && !slices.Contains(x.values, v) {
				out = append(out, v)
			}
		}
		return out
	}
	if len(fresh(r.now())) == 0 {
		return
	}
	r.adding.Lock()
	defer r.adding.Unlock()
	x := r.now()
	all := append(slices.Clone(x.values), fresh(x)...)
	if n := len(all) - r.first - most; n > 0 {
		all = slices.Delete(all, r.first, r.first+n)
	}
	r.index.Store(newIndex(all, x.folders))
}

// WithPath replaces a folder of this machine by a name, such as $HOME: the given path and the one that its symbolic
// links resolve to. For nested folders the innermost wins. Where it is only part of another path, such as /data in
// src/data.json, it stays.
func (r *Redactor) WithPath(dir, name string) *Redactor {
	if dir = strings.TrimRight(dir, "/"); len(dir) < 2 {
		return r
	}
	r.adding.Lock()
	defer r.adding.Unlock()
	x := r.now()
	folders := append(slices.Clone(x.folders), folder{dir, name})
	if real, err := filepath.EvalSymlinks(dir); err == nil && len(real) > 1 && real != folders[len(folders)-1].dir {
		folders = append(folders, folder{real, name})
	}
	r.index.Store(newIndex(x.values, folders))
	return r
}

// now is the current state, never nil.
func (r *Redactor) now() *index {
	if r != nil {
		if x := r.index.Load(); x != nil {
			return x
		}
	}
	return &nothing
}

// String returns the text without secrets. Line ends stay, and so do the quotes and brackets inside a split secret, so
// that JSON stays valid. It is idempotent.
func (r *Redactor) String(text string) string { return r.without(text, true) }

// Secrets is String for those who need the text with its paths, such as a model that works on a file.
func (r *Redactor) Secrets(text string) string { return r.without(text, false) }

func (r *Redactor) without(text string, folders bool) string {
	x := r.now()
	for range rounds {
		found := x.find(text)
		if !folders {
			found = slices.DeleteFunc(found, func(f span) bool { return f.name != "" })
		}
		if len(found) == 0 {
			break
		}
		text = apply(text, found)
	}
	return text
}

// Reach is the maximum number of bytes that a found secret spans. Text that is searched in pieces must overlap by as
// much.
func (r *Redactor) Reach() int { return r.now().reach }

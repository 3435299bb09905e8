// Package redact takes secrets out of text that leaves: logs, events, history, commits, pull requests. It knows the exact
// values that the process holds, in the encodings a model is talked into first, and the public formats of tokens; the first
// is the guarantee, the second only a net, and neither finds what a program means to hide. It may not decide where text goes, and it never gives a secret back.
package redact

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Mark stands where a secret was.
const Mark = "[hidden]"

const (
	tiny = 4 // values shorter than this many bytes are not looked for
	// short values are hidden as whole words only, and only as they are: they are too common for more.
	short = 8
	most  = 64 // values
)

// rounds is how often String looks at its own result: what stood on both sides of a secret may form another one.
const rounds = 4

// Redactor replaces secrets. The zero value and nil know no values and still hide what has the form of a token. All
// methods may be called at the same time.
type Redactor struct {
	adding sync.Mutex // held to replace what is known
	known  atomic.Pointer[known]
}

// New makes a Redactor that knows these values.
func New(values ...string) *Redactor {
	r := &Redactor{}
	r.Add(values...)
	return r
}

// Add makes further values known, such as a key that has been changed on disk. A value that is known already costs next
// to nothing, so it may be called at every use of a key. Older values stay known.
func (r *Redactor) Add(values ...string) {
	fresh := func(k *known) (out []string) {
		for _, v := range values {
			if v = strings.TrimSpace(v); len(v) >= tiny && !strings.Contains(Mark, v) && !k.holds(v) {
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
	k := r.now()
	all := append(slices.Clone(k.values), fresh(k)...)
	r.known.Store(newKnown(all[max(0, len(all)-most):], k.folders))
}

// WithPath has the Redactor call a folder of this machine by a name, such as $HOME, under the path given and under the one
// that its links lead to. Of folders inside of each other the inner one wins.
func (r *Redactor) WithPath(dir, name string) *Redactor {
	if dir = strings.TrimRight(dir, "/"); len(dir) < 2 {
		return r
	}
	r.adding.Lock()
	defer r.adding.Unlock()
	k := r.now()
	folders := append(slices.Clone(k.folders), folder{dir, name})
	if real, err := filepath.EvalSymlinks(dir); err == nil && len(real) > 1 && real != folders[len(folders)-1].dir {
		folders = append(folders, folder{real, name})
	}
	r.known.Store(newKnown(k.values, folders))
	return r
}

// now is what is known at this moment, never nil.
func (r *Redactor) now() *known {
	if r != nil {
		if k := r.known.Load(); k != nil {
			return k
		}
	}
	return &nothing
}

// String gives the text without the secrets. Line ends stay, and so do the quotes and brackets that a secret was spread
// over, so that JSON stays JSON. Doing it twice changes nothing more.
func (r *Redactor) String(text string) string {
	k := r.now()
	for range rounds {
		found := k.find(text)
		if len(found) == 0 {
			break
		}
		text = apply(text, found)
	}
	return text
}

// Bytes is String for bytes. The result is text itself when there is nothing to hide.
func (r *Redactor) Bytes(text []byte) []byte {
	before := string(text)
	if after := r.String(before); after != before {
		return []byte(after)
	}
	return text
}

// Reach is how many bytes of text one secret may be spread over at most and still be found. Who cuts text into pieces for
// Find lets them overlap by so much.
func (r *Redactor) Reach() int { return r.now().reach }

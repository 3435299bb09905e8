// Package redact takes secrets out of text that leaves: errors, logs, history, pull requests.
// It knows exact values first and the shape of a password in a URL second. It may not decide where text goes.
package redact

import (
	"io"
	"regexp"
	"sort"
	"strings"
)

// Mark stands where a secret was.
const Mark = "[hidden]"

// shortest is the length below which a value is too common to be replaced wherever it occurs.
const shortest = 6

// Redactor replaces secrets. The zero value knows none and still hides passwords in URLs.
type Redactor struct {
	values []string
	paths  []path
}

// path is a folder of this machine and what it is called outside.
type path struct{ dir, name string }

// WithPath has the Redactor call a folder of this machine by a name, such as $HOME. Folders that lie inside of others must come first.
func (r *Redactor) WithPath(dir, name string) *Redactor {
	if len(dir) > 1 {
		r.paths = append(r.paths, path{strings.TrimRight(dir, "/"), name})
	}
	return r
}

// New makes a Redactor that knows these values. Longer ones are replaced first, so that no tail of one stays behind.
func New(values ...string) *Redactor {
	r := &Redactor{}
	for _, v := range values {
		if len(v) >= shortest {
			r.values = append(r.values, v)
		}
	}
	sort.SliceStable(r.values, func(i, j int) bool { return len(r.values[i]) > len(r.values[j]) })
	return r
}

var userinfo = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/\s@:]*:[^/\s@]+@`)

// String gives the text without the secrets.
func (r *Redactor) String(text string) string {
	if r != nil {
		for _, v := range r.values {
			text = strings.ReplaceAll(text, v, Mark)
		}
		for _, p := range r.paths {
			text = strings.ReplaceAll(text, p.dir, p.name)
		}
	}
	return userinfo.ReplaceAllString(text, "${1}"+Mark+"@")
}

// Writer hides secrets in what is written through it. It works on each write by itself, so that a log handler that
// writes whole lines is what it is for.
func Writer(to io.Writer, r *Redactor) io.Writer { return writer{to, r} }

type writer struct {
	to io.Writer
	r  *Redactor
}

func (w writer) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.r.String(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Package deliverable keeps the status file of a repository's specification, .longshift/deliverables.json: which deliverables there are,
// what each has come to, and the evidence for it. Evidence is bound to the content that it was found on, by git's ids, so a squash, a
// rebase and a merge keep it, and any other content ends it. The package runs no command and writes no file: its callers hand it git, and
// commit what it returns.
package deliverable

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// Path is the place of the status file in a repository.
const Path = ".longshift/deliverables.json"

// Folder holds what Longshift keeps in a repository. Evidence is bound to nothing in it.
const Folder = ".longshift"

const version = 1

// File is the content of the status file.
type File struct {
	Version      int               `json:"version"`
	Spec         map[string]string `json:"spec"` // what was carried out: git's ids by path, "" where a part is, or may be, left out
	Deliverables []Entry           `json:"deliverables"`
}

// Entry is a deliverable with what it has come to.
type Entry struct {
	ID           string      `json:"id"` // {TYPE}-{NNN}
	Description  string      `json:"description"`
	Acceptance   []string    `json:"acceptance,omitempty"`
	Proof        string      `json:"proof,omitempty"` // command that people have approved with it; "" for the check of the project
	Guard        bool        `json:"guard,omitempty"` // the command passed before the work, too: it guards what is there
	Status       task.Status `json:"status"`
	Reason       string      `json:"reason,omitempty"`       // why it is blocked or pending
	DeprecatedAt *time.Time  `json:"deprecatedAt,omitempty"` // since when the specification does not ask for it any more
	Evidence     *Evidence   `json:"evidence,omitempty"`     // of one that has passed
	Verified     *Verified   `json:"verified,omitempty"`     // nil while nobody but the writer has looked at it

	Sum string `json:"sum"` // of all the rest, so that a change by hand is noticed
}

// Evidence is one run of a command that passed, by the worker and in a checkout of one commit.
type Evidence struct {
	Command string            `json:"command"`
	Exit    int               `json:"exit"`
	Tests   *task.Ran         `json:"tests,omitempty"`  // nil when the output doesn't say how many ran
	Output  string            `json:"output,omitempty"` // file with the output, in the data directory of the task's host
	Commit  string            `json:"commit"`           // a name only: evidence is bound to Files and Check
	Files   map[string]string `json:"files"`            // git's ids of what the work has changed, by path; "" for what is not there
	Check   string            `json:"check"`            // id of what decides what the command does; see Content.Check
	Session string            `json:"session,omitempty"`
	Time    time.Time         `json:"time"`
}

// Verified says which session, other than the one that wrote it, has confirmed a deliverable.
type Verified struct {
	Session string    `json:"session"` // UUID
	Time    time.Time `json:"time"`
}

// New returns a file without deliverables.
func New() *File { return &File{Version: version, Spec: map[string]string{}, Deliverables: []Entry{}} }

// Record puts entries into the file, each in the place of the one with its id, and the others behind the last.
func (f *File) Record(entries ...Entry) {
	for _, e := range entries {
		e.Sum = e.sum()
		if i := slices.IndexFunc(f.Deliverables, func(was Entry) bool { return was.ID == e.ID }); i >= 0 {
			f.Deliverables[i] = e
		} else {
			f.Deliverables = append(f.Deliverables, e)
		}
	}
}

// Find returns the entry with an id.
func (f *File) Find(id string) (Entry, bool) {
	for _, e := range f.Deliverables {
		if e.ID == id {
			return e, true
		}
	}
	return Entry{}, false
}

// Specify notes that the specification at paths was carried out as the content has it, or a part of it. What is recorded of others stays.
func (f *File) Specify(c *Content, paths []string, partial bool) {
	spec := c.Spec(paths)
	if partial {
		for name := range spec {
			spec[name] = ""
		}
	}
	for _, name := range f.Others(c, paths) {
		spec[name] = f.Spec[name]
	}
	f.Spec = spec
}

// Others lists the files and folders of other specifications that the file records, sorted: those that are still there and that paths don't
// hold.
func (f *File) Others(c *Content, paths []string) (others []string) {
	for _, name := range slices.Sorted(maps.Keys(f.Spec)) {
		held := slices.ContainsFunc(paths, func(p string) bool { return name == p || strings.HasPrefix(name, p+"/") })
		if !held && c.Spec([]string{name})[name] != "" {
			others = append(others, name)
		}
	}
	return others
}

// Deprecate notes that the specification no longer asks for deliverables. What they had come to stays.
func (f *File) Deprecate(ids []string, at time.Time) {
	at = at.UTC().Truncate(time.Second)
	for _, e := range f.Deliverables {
		if slices.Contains(ids, e.ID) && e.DeprecatedAt == nil {
			e.DeprecatedAt = &at
			f.Record(e)
		}
	}
}

// Bytes returns the file as it is committed. Equal files are equal bytes.
func (f *File) Bytes() ([]byte, error) { return encode(f) }

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // commands are full of & and >
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// sum is a hash of the entry without its Sum. It is no signature: it tells a slip from what Longshift has written, and the ids of the
// evidence tell whether that still holds.
func (e Entry) sum() string {
	e.Sum = ""
	data, err := encode(e)
	if err != nil {
		return err.Error() // a struct of plain values is always encoded
	}
	return shortHash(data)
}

func shortHash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

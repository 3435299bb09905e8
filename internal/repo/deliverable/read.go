package deliverable

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// mostBytes is the maximum size of a status file.
const mostBytes = 4 << 20

// conflictMark is a line that a merge leaves in a file where both sides have changed it.
var conflictMark = regexp.MustCompile(`(?m)^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?\r?$`)

// Read reads a status file strictly: nothing in it is dropped. The error names the line, and what to do.
func Read(data []byte) (*File, error) {
	r := reader{data: data}
	if len(data) > mostBytes {
		return nil, r.wrong(0, "write the specification in parts", "the file has %d bytes, and %d are read", len(data), mostBytes)
	}
	if at := conflictMark.FindIndex(data); at != nil {
		return nil, r.wrong(at[0], "take the file of one side, then run longshift spec run: it records what the other side had",
			"a merge has left its marks")
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, new(json.RawMessage)); errors.As(err, &syntax) {
		return nil, r.wrong(int(syntax.Offset)-1, undo, "this is no JSON: %s", err)
	}
	f, err := r.file()
	if err != nil {
		return nil, err
	}
	return f, nil
}

// reader reads a file piece by piece, because package encoding/json names no lines.
type reader struct {
	data []byte
	dec  *json.Decoder
}

const undo = "undo the change: only Longshift writes this file"

func (r *reader) wrong(at int, hint, format string, args ...any) error {
	line := 1 + bytes.Count(r.data[:min(max(at, 0), len(r.data))], []byte("\n"))
	return fault.New(fault.Input, "%s:%d: %s", Path, line, fmt.Sprintf(format, args...)).WithHint("%s", hint)
}

func (r *reader) file() (*File, error) {
	r.dec = json.NewDecoder(bytes.NewReader(r.data))
	if err := r.delim('{'); err != nil {
		return nil, err
	}
	f, seen := New(), []string{}
	for r.dec.More() {
		at := r.at()
		key, err := r.dec.Token()
		if err != nil {
			return nil, r.broken(at, err)
		}
		name, _ := key.(string)
		if slices.Contains(seen, name) {
			return nil, r.wrong(at, undo, "the field %q is there twice", name)
		}
		seen = append(seen, name)
		switch name {
		case "version":
			err = r.value(&f.Version)
			if err == nil && f.Version != version {
				err = r.wrong(at, "use a newer longshift", "version is %d, and this program reads version %d", f.Version, version)
			}
		case "spec":
			err = r.value(&f.Spec)
		case "deliverables":
			err = r.entries(f)
		default:
			err = r.wrong(at, undo, "the field %q is not known", name)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.delim('}'); err != nil {
		return nil, err
	}
	for _, name := range []string{"version", "deliverables"} {
		if !slices.Contains(seen, name) {
			return nil, r.wrong(0, undo, "the field %q is missing", name)
		}
	}
	return f, nil
}

// entries reads the list of deliverables.
func (r *reader) entries(f *File) error {
	if err := r.delim('['); err != nil {
		return err
	}
	for r.dec.More() {
		at := r.at()
		var e Entry
		if err := r.value(&e); err != nil {
			return err
		}
		if what := e.mistake(f.Deliverables); what != "" {
			return r.wrong(at, undo, "%s", what)
		}
		f.Deliverables = append(f.Deliverables, e)
	}
	return r.delim(']')
}

// mistake says what is wrong with an entry; "" when nothing is.
func (e Entry) mistake(before []Entry) string {
	name := fmt.Sprintf("%.40q", e.ID)
	switch ev := e.Evidence; {
	case !task.IsDeliverableID(e.ID):
		return "the id " + name + " is not of the form {TYPE}-{NNN}"
	case slices.ContainsFunc(before, func(b Entry) bool { return b.ID == e.ID }):
		return name + " is there twice"
	case !slices.Contains([]task.Status{task.Pending, task.Passed, task.Blocked}, e.Status):
		return fmt.Sprintf("%s has the unknown status %.40q; there are pending, passed and blocked", name, e.Status)
	case e.Sum != e.sum():
		return name + " was changed by hand"
	case e.Description == "":
		return name + " has no description"
	case e.Status == task.Blocked && e.Reason == "":
		return name + " is blocked without a reason"
	case e.Status != task.Passed && ev != nil:
		return name + " has evidence, and has not passed"
	case e.Status != task.Passed:
		return ""
	case ev == nil:
		return name + " has passed without evidence"
	case ev.Exit != 0:
		return fmt.Sprintf("%s has passed by a command that failed with exit code %d", name, ev.Exit)
	case ev.Tests != nil && ev.Tests.N == 0:
		return name + " has passed by a command that ran no tests"
	case e.Proof != "" && ev.Command != e.Proof:
		return name + " has passed by another command than its own"
	case len(ev.Files) == 0 || ev.Check == "" || strings.TrimSpace(ev.Command) == "":
		return name + " has evidence that is bound to nothing"
	}
	return ""
}

// at is the offset of the next value: behind white space, commas and colons.
func (r *reader) at() int {
	n := int(r.dec.InputOffset())
	for n < len(r.data) && bytes.IndexByte([]byte(" \t\r\n,:"), r.data[n]) >= 0 {
		n++
	}
	return n
}

func (r *reader) delim(want json.Delim) error {
	at := r.at()
	got, err := r.dec.Token()
	if err != nil {
		return r.broken(at, err)
	}
	if got != want {
		return r.wrong(at, undo, "%q is missing here", want.String())
	}
	return nil
}

// value reads the next value, in which every field must be known.
func (r *reader) value(into any) error {
	at := r.at()
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return r.broken(at, err)
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		return r.broken(at, err)
	}
	return nil
}

// broken explains an error of package encoding/json about the value at an offset.
func (r *reader) broken(at int, err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return r.wrong(at+int(kind.Offset)-1, undo, "the field %q is a %s", kind.Field, kind.Value)
	}
	return r.wrong(at, undo, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

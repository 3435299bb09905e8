package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/longshift/longshift/internal/excerpt"
)

const (
	lineBytes  = 200  // of a line for people
	errorBytes = 4000 // of an error for the model
)

var errStopped = errors.New("the call was stopped before it had finished; ask for less: a narrower path, pattern or range")

// success makes the result of a call whose answer is a struct with the fields for the model.
func (w *Workspace) success(tool, line string, answer any) (Result, error) {
	body, err := Marshal(answer)
	if err != nil {
		return Result{}, errors.New("the answer can't be written as JSON; use another tool")
	}
	content := []byte(`{"success":true`)
	if len(body) > len("{}") {
		content = append(content, ',')
	}
	return Result{Content: append(content, body[1:]...), Line: w.forPeople(tool + " " + line)}, nil
}

func (w *Workspace) failure(tool string, err error) Result {
	say := w.withoutRoot(excerpt.Clip(strings.ToValidUTF8(err.Error(), "�"), errorBytes))
	content, _ := Marshal(struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}{false, say}) // a struct of strings always can be written
	return Result{Content: content, Failed: true, Line: w.forPeople(tool + ": " + excerpt.FirstLine(say))}
}

// Marshal leaves <, > and & as they are: the model reads code.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// withoutRoot removes the folder that the workspace has on this machine.
func (t *Tree) withoutRoot(s string) string {
	root := t.Root.Name()
	if !filepath.IsAbs(root) || len(root) < 2 {
		return s
	}
	quoted := strconv.Quote(root)
	return strings.ReplaceAll(strings.ReplaceAll(s, root, "(workspace)"), quoted[1:len(quoted)-1], "(workspace)")
}

// forPeople shows hidden characters, which the model or a file name may hold, as a mark.
func (w *Workspace) forPeople(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return '�'
	}, w.withoutRoot(s))
	return excerpt.Line(s, lineBytes)
}

// cause says what the system refused, without the paths that its errors hold.
func cause(what, path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %q: it does not exist; list_dir and find_files show what there is", what, path)
	case errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s %q: a part of the path is a file, not a folder; list_dir shows what there is", what, path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s %q: permission denied; leave it as it is or work on another file", what, path)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fmt.Errorf("%s %q: the name is too long; use a shorter one", what, excerpt.Clip(path, 100))
	}
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Errorf("%s %q: %w; try another path", what, path, err)
}

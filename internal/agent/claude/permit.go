package claude

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/agent"
)

// Call is a tool call that the binary asks about. It does not ask about reads inside the workspace nor about shell commands
// that it takes for reading ones.
type Call struct {
	Session agent.Session
	Tool    string
	ID      string
	Input   json.RawMessage // an object, as the model gave it
}

// Decision is the answer. Reason is told to the model and should say what it can do instead.
type Decision struct {
	Allow  bool
	Reason string
	Input  json.RawMessage // in place of the call's own; nil to leave it
}

// Allow lets a call through as it is.
func Allow() Decision { return Decision{Allow: true} }

// Deny refuses a call.
func Deny(reason string) Decision { return Decision{Reason: reason} }

// Rule is the default Permit: file tools inside the workspace and never under a .git, shell commands where the session may write,
// sub-agents, and nothing else. What a shell command does is not looked at: that is for a sandbox and for a stricter Permit.
func Rule(c Call) Decision {
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Path     string `json:"path"`
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return Deny("the input of " + c.Tool + " is not an object with text fields")
	}
	switch c.Tool {
	case "Read":
		return c.file(in.File, false)
	case "Glob", "Grep":
		return c.file(first(in.Path, c.Session.Dir), false)
	case "Write", "Edit":
		return c.file(in.File, true)
	case "NotebookEdit":
		return c.file(in.Notebook, true)
	case "Bash":
		if c.Session.ReadOnly {
			return Deny("commands are off in this session, it only reads; use Read, Grep and Glob")
		}
		return Allow()
	case "Agent", "Task":
		return Allow() // its own tool calls are asked about one by one
	}
	return Deny(c.Tool + " is not available in this session; go on without it")
}

// file decides on a file tool by where the path leads once its symbolic links are followed.
func (c Call) file(path string, write bool) Decision {
	if write && c.Session.ReadOnly {
		return Deny("this session only reads; report what should change instead of changing it")
	}
	if path == "" {
		return Deny("the path is missing; name a file in " + c.Session.Dir)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Session.Dir, path)
	}
	root, err := filepath.EvalSymlinks(c.Session.Dir)
	if err != nil {
		return Deny("the workspace can't be read")
	}
	real, err := resolve(path)
	if err != nil {
		return Deny("the path " + path + " can't be followed; name a file in " + c.Session.Dir)
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return Deny("the path leads out of the workspace; stay in " + c.Session.Dir)
	}
	for _, name := range strings.Split(rel, "/") {
		if strings.EqualFold(name, ".git") {
			return Deny("the repository's own data is not for tools; Longshift makes the commits")
		}
	}
	return Allow()
}

// resolve follows symbolic links as far as the path exists; the rest of it is to be made.
func resolve(path string) (string, error) {
	path = filepath.Clean(path)
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", errors.New("dangling link") // a write would create what it points to
	}
	parent, err := resolve(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

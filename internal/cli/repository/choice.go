package repository

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/fault"
)

// Chosen is what `workspaces switch` remembers for the user of this machine. The folder is kept too: the same name below another one
// is another project.
type Chosen struct {
	Projects  string `json:"projects"`
	Workspace string `json:"workspace"`
}

const mostChosen = 16 << 10 // bytes

// Choices stores which workspace the user has chosen.
type Choices struct{ env environ.Environ }

func NewChoices(env environ.Environ) Choices { return Choices{env} }

// File is where it is kept.
func (c Choices) File() (string, error) {
	state := c.env.Get("XDG_STATE_HOME")
	if home := c.env.Get("HOME"); !filepath.IsAbs(state) && filepath.IsAbs(home) {
		state = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(state) {
		return "", fault.New(fault.Input, "there is no folder for the current workspace: neither XDG_STATE_HOME nor HOME is an absolute path").
			WithHint("set HOME")
	}
	return filepath.Join(state, "longshift", "workspace.json"), nil
}

// Read returns the choice; an empty name is none.
func (c Choices) Read() (last Chosen, err error) {
	path, err := c.File()
	if err != nil {
		return last, nil // then nothing can have been stored
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return last, nil
	}
	bad := func(why error) error {
		return fault.New(fault.Input, "read the current workspace: %w", why).WithHint("choose again with `longshift workspaces switch`")
	}
	if err != nil {
		return last, bad(err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, mostChosen))
	if err != nil {
		return last, bad(err)
	}
	if err := json.Unmarshal(content, &last); err != nil {
		return Chosen{}, bad(err)
	}
	return last, nil
}

// Write stores a choice: all of it or, when it breaks, the one before.
func (c Choices) Write(next Chosen) error {
	path, err := c.File()
	if err != nil {
		return err
	}
	content, err := json.Marshal(next)
	if err != nil {
		return fault.New(fault.Internal, "encode the current workspace: %w", err)
	}
	if err := replace(path, append(content, '\n')); err != nil {
		return fault.New(fault.Denied, "keep the current workspace: %w", err).WithHint("check who may write there, or set XDG_STATE_HOME")
	}
	return nil
}

func replace(path string, content []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, content)
}

// Remove takes the choice back, and tells whether there was one.
func (c Choices) Remove() (bool, error) {
	path, err := c.File()
	if err != nil {
		return false, err
	}
	err = os.Remove(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fault.New(fault.Denied, "forget the current workspace: %w", err).WithHint("check who may write there")
	}
	return true, nil
}

package cli

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/fault"
)

// chosen is what `workspaces switch` remembers for the user of this machine. The folder is kept too: the same name below another one
// is another project.
type chosen struct {
	Projects  string `json:"projects"`
	Workspace string `json:"workspace"`
}

const mostChosen = 16 << 10 // bytes

// chosenFile is where it is kept.
func (p *program) chosenFile() (string, error) {
	state := p.env.Get("XDG_STATE_HOME")
	if home := p.env.Get("HOME"); !filepath.IsAbs(state) && filepath.IsAbs(home) {
		state = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(state) {
		return "", fault.New(fault.Input, "there is no folder for the current workspace: neither XDG_STATE_HOME nor HOME is an absolute path").WithHint("set HOME")
	}
	return filepath.Join(state, "longshift", "workspace.json"), nil
}

// chosen reads what was chosen; an empty name is nothing.
func (p *program) chosen() (c chosen, err error) {
	path, err := p.chosenFile()
	if err != nil {
		return c, nil // then nothing can have been kept
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	bad := func(why error) error {
		return fault.New(fault.Input, "read the current workspace: %w", why).WithHint("choose again with `longshift workspaces switch`")
	}
	if err != nil {
		return c, bad(err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, mostChosen))
	if err != nil {
		return c, bad(err)
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return chosen{}, bad(err)
	}
	return c, nil
}

// choose keeps a choice: all of it or, when it breaks, the one before.
func (p *program) choose(c chosen) error {
	path, err := p.chosenFile()
	if err != nil {
		return err
	}
	content, err := json.Marshal(c)
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
	file, err := os.CreateTemp(dir, ".workspace-*") // for its owner only
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// forget takes a choice back. It tells whether there was one.
func (p *program) forget() (bool, error) {
	path, err := p.chosenFile()
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

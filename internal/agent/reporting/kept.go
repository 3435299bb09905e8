package reporting

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/fault"
)

// kept is the file of a session's accepted calls: a JSON object on each line.
type kept struct {
	file *os.File
	size int64 // of the complete lines
}

// openKept opens or creates the file and reads it. A last line without its end belongs to a call that was never answered, and is removed.
func openKept(path string) (*kept, []Call, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, fault.New(fault.Infra, "open the session's reports: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, fault.New(fault.Infra, "open the session's reports: %w", err)
	}
	data, err := os.ReadFile(path)
	if err == nil {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
		err = f.Truncate(int64(len(data)))
	}
	if err != nil {
		return nil, nil, errors.Join(fault.New(fault.Infra, "read the session's reports: %w", err), f.Close())
	}
	var calls []Call
	for n, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var c Call
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, nil, errors.Join(fault.New(fault.Infra, "%s, line %d: %w", path, n+1, err).
				WithHint("move the file away; the session then reports again"), f.Close())
		}
		calls = append(calls, c)
	}
	return &kept{f, int64(len(data))}, calls, nil
}

// add writes a call to the disk. It takes back a part of a line, which would spoil the next one.
func (k *kept) add(c Call) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if _, err = k.file.Write(line); err == nil {
		err = k.file.Sync()
	}
	if err != nil {
		return errors.Join(err, k.file.Truncate(k.size))
	}
	k.size += int64(len(line))
	return nil
}

// keepLines removes what follows the first n lines of a file.
func keepLines(path string, n int) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return err
	}
	kept := int64(0)
	for line := range bytes.Lines(data) {
		if n--; n < 0 {
			break
		}
		kept += int64(len(line))
	}
	if err := f.Truncate(kept); err != nil {
		return err
	}
	return f.Sync()
}

func (k *kept) close() error { return k.file.Close() }

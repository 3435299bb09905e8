package tasks

import (
	"crypto/rand"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// NewTaskID makes a readable id: repository, task, and six random letters that keep it apart from others. An issue has one task, whoever
// starts it, so that has an id which all of them know. host is that of the forge which owner/name is on.
func NewTaskID(in task.Input, host string) (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	r, err := task.ParseRepository(in.Repository)
	if err != nil {
		return "", err
	}
	if i := in.Issue; i != nil && i.OfForge() && r.Owner != "" {
		if r.Host == "" {
			r.Host = host
		}
		return signals.IssueTaskID(r.Host, r.Owner, r.Name, in.Issue.Number), nil
	}
	var parts []string
	for _, part := range []string{r.Slug(), task.Slug(in.Task, 32)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	random := make([]byte, 6)
	for i := range random {
		b := [1]byte{255}
		for b[0] >= 252 { // 252 is a multiple of 36: no letter is likelier than another
			_, _ = rand.Read(b[:]) // never fails
		}
		random[i] = letters[b[0]%36]
	}
	return strings.Join(append(parts, string(random)), "-"), nil
}

// CheckID refuses ids that web pages and folders could not carry.
func CheckID(id string) error {
	if len(id) > 200 {
		return fault.New(fault.Input, "--id: longer than 200 bytes").WithHint("give a short one")
	}
	for _, r := range id {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.', r == ':':
		default:
			return fault.New(fault.Input, "--id %q: holds %q", id, r).WithHint("use letters, digits and - _ . : only")
		}
	}
	return nil
}

package heartbeat

import (
	"bytes"
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/intake"
)

// Kept returns the file when it lists something to do and its task has ended with this text. Editing it makes it new work.
func (s *Source) Kept(ctx context.Context, q intake.Query) ([]intake.Kept, error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	kept, err := d.Kept(ctx, d.todoSum)
	if err != nil {
		return nil, fmt.Errorf("heartbeat: %w", err)
	}
	return kept, nil
}

// Claims returns the claim of the task that works on the file.
func (s *Source) Claims(ctx context.Context, q intake.Query) ([]intake.Claimed, error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	claims, err := d.Claims()
	if err != nil {
		return nil, fmt.Errorf("heartbeat: %w", err)
	}
	return claims, nil
}

// todoSum returns the checksum of the file's text, "" if nothing in it is left to do.
func (d *desk) todoSum(key string) (string, error) {
	if d.checkKey(key) != nil {
		return "", nil
	}
	f, err := d.Read(key)
	if err != nil {
		return "", err
	}
	text := split(f.Data)
	if !look(bytes.TrimSpace(text.person())).work() {
		return "", nil
	}
	return text.sum(), nil
}

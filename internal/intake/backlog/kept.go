package backlog

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/intake"
)

// Kept lists the files that wait for a person. Editing a file makes it new work.
func (s *Source) Kept(ctx context.Context, q intake.Query) ([]intake.Kept, error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	kept, err := d.Kept(ctx, d.sum)
	if err != nil {
		return nil, fmt.Errorf("backlog: %w", err)
	}
	return kept, nil
}

// Claims lists the files that tasks have claimed.
func (s *Source) Claims(ctx context.Context, q intake.Query) ([]intake.Claimed, error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	claims, err := d.Claims()
	if err != nil {
		return nil, fmt.Errorf("backlog: %w", err)
	}
	return claims, nil
}

// sum returns the checksum of a file's text.
func (d *desk) sum(key string) (string, error) {
	f, err := d.read(key)
	return f.Sum(), err
}

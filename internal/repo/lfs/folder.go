package lfs

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/fault"
)

// Server stores the LFS objects of a repository.
type Server interface {
	// Offer checks whether the server would accept the objects. It sends only their ids and sizes.
	Offer(ctx context.Context, list []Pointer) error
	// Upload sends the objects that the server does not have.
	Upload(ctx context.Context, list []Pointer, from Store) error
	// Download fetches the objects. Those that the server lacks are skipped without an error.
	Download(ctx context.Context, list []Pointer, to Store) error
}

// Folder is the server of a repository on this machine. The LFS objects lie beside its git objects.
type Folder Store

func (Folder) Offer(context.Context, []Pointer) error { return nil }

func (d Folder) Upload(ctx context.Context, list []Pointer, from Store) error {
	for _, p := range list {
		if err := carry(ctx, p, from, Store(d)); err != nil {
			return fault.New(fault.Infra, "keep an object of Git LFS in %s: %w", string(d), err).
				WithHint("make sure that the user of the worker may write there, and that there is room")
		}
	}
	return nil
}

func (d Folder) Download(ctx context.Context, list []Pointer, to Store) error {
	for _, p := range list {
		if !Store(d).Has(p) {
			continue
		}
		if err := carry(ctx, p, Store(d), to); err != nil {
			return fmt.Errorf("take an object of Git LFS from %s: %w", string(d), err)
		}
	}
	return nil
}

func carry(ctx context.Context, p Pointer, from, to Store) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f, err := from.Open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	return to.Put(p, f)
}

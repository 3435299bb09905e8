package lfs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/fault"
)

// Store is a directory of objects in the layout of git-lfs: the directory lfs of a git directory.
type Store string

func (s Store) path(p Pointer) string {
	return filepath.Join(string(s), "objects", p.ID[:2], p.ID[2:4], p.ID)
}

// Has reports whether the object exists with its full length.
func (s Store) Has(p Pointer) bool {
	info, err := os.Stat(s.path(p))
	return err == nil && info.Mode().IsRegular() && info.Size() == p.Size
}

func (s Store) Open(p Pointer) (*os.File, error) { return os.Open(s.path(p)) }

// Put stores the content it reads if it matches the pointer. The object appears atomically, also after a crash.
func (s Store) Put(p Pointer, from io.Reader) error {
	if s.Has(p) {
		return nil
	}
	tmp := filepath.Join(string(s), "tmp")
	if err := errors.Join(os.MkdirAll(tmp, 0o755), os.MkdirAll(filepath.Dir(s.path(p)), 0o755)); err != nil {
		return err
	}
	f, err := os.CreateTemp(tmp, p.ID[:12]+"-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(from, p.Size+1))
	if err == nil && (n != p.Size || hex.EncodeToString(sum.Sum(nil)) != p.ID) {
		err = fmt.Errorf("object %s is not what its name says", p.ID)
	}
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), s.path(p))
}

// Take copies an object from a store in an untrusted folder, which may contain links and incomplete files.
func (s Store) Take(p Pointer, from *os.Root, store string) error {
	name := Store(store).path(p)
	if info, err := from.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fs.ErrNotExist)
	}
	f, err := from.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.Put(p, f)
}

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

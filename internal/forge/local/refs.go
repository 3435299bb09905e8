package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// errRaced means that another process wrote the ref first, so that the caller has to look again.
var errRaced = errors.New("another process was faster")

// staleAfter is the age from which the lock of a ref belongs to no process: git holds one for milliseconds.
const staleAfter = time.Minute

// absent is the old value by which git requires that a ref does not exist.
const absent = ""

// records reads every pull request, ordered by number, with its state as written.
func (g *repository) records(ctx context.Context) ([]*Record, error) {
	out, err := g.git(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", refPrefix)
	if err != nil {
		return nil, fmt.Errorf("local forge: list pull requests: %w", err)
	}
	var blobs, names []string
	for line := range strings.Lines(out) {
		blob, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasSuffix(name, "/record") {
			blobs, names = append(blobs, blob), append(names, name)
		}
	}
	if len(blobs) == 0 {
		return nil, nil
	}
	data, err := g.git(ctx, []byte(strings.Join(blobs, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return nil, fmt.Errorf("local forge: read pull requests: %w", err)
	}
	all := make([]*Record, 0, len(blobs))
	rest := []byte(data + "\n")
	for i, name := range names {
		r, left, err := nextRecord(rest)
		if err != nil || ref(r.Number, "record") != name {
			return nil, fault.New(fault.Changed, "local forge: %s: record %s can't be read (%v)", g.path, name, err).
				WithHint("look at it with git show; remove it with git update-ref -d %s", name)
		}
		r.blob, r.URL, rest = blobs[i], g.path+" "+ref(r.Number, "record"), left
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *Record) int { return a.Number - b.Number })
	return all, nil
}

// nextRecord reads one entry of the output of git cat-file --batch: a line "id type size", the content, a line end.
func nextRecord(data []byte) (*Record, []byte, error) {
	header, rest, _ := bytes.Cut(data, []byte("\n"))
	fields := strings.Fields(string(header))
	if len(fields) != 3 || fields[1] != "blob" {
		return nil, nil, fmt.Errorf("git says %q", header)
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil || size+1 > len(rest) {
		return nil, nil, fmt.Errorf("git says %q", header)
	}
	r, err := decode(rest[:size])
	return r, rest[size+1:], err
}

// write stores a record and moves its ref from the old one, or creates it when old is absent. errRaced means that the ref was not at
// old.
func (g *repository) write(ctx context.Context, r *Record, old string) error {
	data, err := r.encode()
	if err != nil {
		return err
	}
	blob, err := g.git(ctx, data, "hash-object", "-w", "--stdin")
	if err != nil {
		return fmt.Errorf("store record: %w", err)
	}
	if err := g.move(ctx, ref(r.Number, "record"), blob, old); err != nil {
		return err
	}
	r.blob = blob
	return nil
}

// move sets a ref if it still has its old value.
func (g *repository) move(ctx context.Context, name, to, from string) error {
	_, err := g.git(ctx, nil, "update-ref", name, to, from)
	var failed *git.Error
	if !errors.As(err, &failed) {
		return err
	}
	if lock := failed.LockFile(); lock != "" {
		g.dropStale(lock)
		return errRaced
	}
	now, look := g.resolve(ctx, name)
	if look != nil {
		return look
	}
	if now != from {
		return errRaced
	}
	return fmt.Errorf("set %s: %w", name, err)
}

// dropStale removes a lock on a ref of a pull request that a killed git has left behind. It checks the age last, so as not to remove a
// new lock.
func (g *repository) dropStale(lock string) {
	if !strings.Contains(filepath.ToSlash(lock), "/"+refPrefix) {
		return
	}
	if info, err := os.Stat(lock); err == nil && g.now().Sub(info.ModTime()) > staleAfter {
		g.log.Warn("local forge: removing a lock that a killed process has left",
			"lock", filepath.Base(filepath.Dir(lock))+"/"+filepath.Base(lock))
		_ = os.Remove(lock)
	}
}

// point sets the ref on the head commit of a pull request.
func (g *repository) point(ctx context.Context, r *Record) error {
	name := ref(r.Number, "head")
	for range g.attempts {
		at, err := g.resolve(ctx, name)
		if err != nil || at == r.HeadCommit {
			return err
		}
		if err := g.move(ctx, name, r.HeadCommit, at); err != errRaced {
			return err
		}
	}
	return fault.New(fault.Infra, "set %s: its lock is held", name)
}

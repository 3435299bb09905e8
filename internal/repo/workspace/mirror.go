package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/task"
)

// A mirror is a bare repository whose objects all tasks of one repository share. Nothing in it is ever pruned.

// mirrors manages the mirrors of one data directory.
type mirrors struct {
	dir    string
	runner *runner
	locks  locks
	log    *slog.Logger
}

func mirrorName(r task.Repository, address string) string {
	sum := sha256.Sum256([]byte(address))
	return strings.TrimPrefix(r.Slug()+"-", "-") + hex.EncodeToString(sum[:6]) + ".git"
}

func (m *mirrors) at(name string) repo {
	return repo{runner: m.runner, dir: filepath.Join(m.dir, name)}
}

// lock acquires the lock for writing to a mirror.
func (m *mirrors) lock(ctx context.Context, name string) (release func(), err error) {
	return m.locks.take(ctx, "mirror-"+name)
}

// open opens the mirror and creates it if needed. The caller holds its lock.
func (m *mirrors) open(ctx context.Context, name, format string) (repo, error) {
	r := m.at(name)
	shallow, err := r.shallow()
	if err != nil {
		return r, err
	}
	changed, err := shape{format: format, branch: "none", shallow: shallow}.enforce(r.dir)
	if len(changed) > 0 {
		m.log.WarnContext(ctx, "put a mirror's configuration right", "mirror", name, "files", changed)
	}
	if err != nil {
		return r, err
	}
	r.removeHalf()
	return r, nil
}

// shallow returns the boundary of a mirror of a shallow clone, as git writes it; "" when the history is complete.
func (r repo) shallow() (string, error) {
	data, err := os.ReadFile(filepath.Join(r.dir, "shallow"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read where a shallow history ends: %w", err)
	}
	return string(data), nil
}

// mirrored returns a branch's ref in the mirror. The name is flat, so that a branch "a/b" can replace a branch "a" on the remote. If it
// is too long for the name of a file, it is a hash.
func mirrored(branch string) string {
	name := url.PathEscape(branch)
	if len(name) > 240 {
		sum := sha256.Sum256([]byte(branch))
		name = "long%" + hex.EncodeToString(sum[:])
	}
	return "refs/mirror/" + name
}

// base fetches the base branch into the mirror and keeps its commit there for the task.
func (m *mirrors) base(ctx context.Context, rem remote, name, format, branch, tip string) (string, error) {
	release, err := m.lock(ctx, name)
	if err != nil {
		return "", err
	}
	defer release()
	r, err := m.open(ctx, name, format)
	if err != nil || branch == "" {
		return "", err
	}
	ref := mirrored(branch)
	have, err := r.ref(ctx, ref)
	if err == nil && have == tip {
		return tip, nil
	}
	if err := m.withTags(ctx, rem, r, "+refs/heads/"+branch+":"+ref); err != nil {
		return "", fmt.Errorf("fetch %s: %w", branch, err)
	}
	m.pack(ctx, r)
	return r.ref(ctx, ref)
}

// withTags fetches a branch with the tags in its history, which builds ask for. Where a tag is in the way of another, as "a" is of "a/b",
// all are fetched anew. Where that fails too, the branch comes without them.
func (m *mirrors) withTags(ctx context.Context, rem remote, r repo, what string) error {
	fetch := func(options ...string) error {
		args := slices.Concat([]string{"fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
			"--update-shallow", "--force"}, options, []string{"--", rem.url, what})
		_, err := rem.call(ctx, r, args...)
		return err
	}
	err := fetch()
	if !tagInTheWay(err) {
		return err
	}
	m.log.WarnContext(ctx, "the tags of a mirror are fetched anew", "mirror", r.dir, "reason", err)
	old, err := r.run(ctx, "for-each-ref", "--format=delete %(refname)", "refs/tags")
	if err == nil && old != "" {
		_, err = r.feed(ctx, old+"\n", "update-ref", "--stdin")
	}
	if err == nil {
		if err = fetch(); !tagInTheWay(err) {
			return err
		}
	}
	m.log.WarnContext(ctx, "tags can't be fetched", "mirror", r.dir, "error", err)
	return fetch("--no-tags")
}

// tagInTheWay reports whether a fetch has failed at a tag.
func tagInTheWay(err error) bool {
	e, failed := errors.AsType[*git.Error](err)
	return failed && strings.Contains(e.Stderr, "refs/tags/")
}

// tip fetches the task's own branch from the remote into the mirror, under the ref that pin sets.
func (m *mirrors) tip(ctx context.Context, rem remote, name, id, branch string) (string, error) {
	release, err := m.lock(ctx, name)
	if err != nil {
		return "", err
	}
	defer release()
	r := m.at(name)
	_, err = rem.call(ctx, r, "fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--no-recurse-submodules", "--no-auto-maintenance",
		"--force", "--", rem.url, "+refs/heads/"+branch+":"+pinned(id))
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", branch, err)
	}
	return r.ref(ctx, pinned(id))
}

func pinned(id string) string { return "refs/longshift-base/" + id }
func kept(id string) string   { return "refs/longshift-kept/" + id + "/" }

// keep keeps another commit in the mirror until pin releases it.
func (m *mirrors) keep(ctx context.Context, mirror, id, commit string) error {
	release, err := m.lock(ctx, mirror)
	if err != nil {
		return err
	}
	defer release()
	_, err = m.at(mirror).run(ctx, "update-ref", kept(id)+commit, commit)
	return err
}

// kept lists the commits that keep has kept.
func (m *mirrors) kept(ctx context.Context, mirror, id string) ([]string, error) {
	text, err := m.at(mirror).run(ctx, "for-each-ref", "--format=%(objectname)", kept(id))
	return lines(text), err
}

// pin keeps a commit in the mirror for as long as the task needs it. "" releases it and the commits of keep.
func (m *mirrors) pin(ctx context.Context, mirror, id, commit string) error {
	r := m.at(mirror)
	if _, err := os.Stat(r.dir); err != nil && commit == "" {
		return nil
	}
	release, err := m.lock(ctx, mirror)
	if err != nil {
		return err
	}
	defer release()
	if commit != "" {
		_, err = r.run(ctx, "update-ref", pinned(id), commit)
		return err
	}
	gone, err := r.run(ctx, "for-each-ref", "--format=delete %(refname)", pinned(id), kept(id))
	if err != nil || gone == "" {
		return err
	}
	_, err = r.feed(ctx, gone+"\n", "update-ref", "--stdin")
	return err
}

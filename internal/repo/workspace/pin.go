package workspace

import (
	"context"
	"fmt"
	"os"
)

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

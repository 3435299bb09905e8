package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/disk"
)

// The .git directory in the work tree belongs to the agent, which may read history, stage and commit with it. Our git never uses it as a
// git directory. We write it with plain file operations that can't leave the work tree through links, and recreate it when it is broken.

// agentCommonDir is the content of .git/commondir. It points at the directory itself, so it changes nothing for git. The file must exist
// so that a task's programs can't create it: with it they could lead their own git, and that of a person who inspects the workspace, to
// another configuration.
const agentCommonDir = ".\n"

// agentGit writes the agent's .git directory.
type agentGit struct {
	core
	mirror   repo
	author   Person
	borrowed []string // object directories that it reads as alternates
	filters  string   // filter settings for Git LFS
}

// handOver copies our branch, head and index to the agent's git. What the work tree holds of a commit or tree that is given up, and
// .gitignore lists, stays added there; "" for none.
func (g *agentGit) handOver(ctx context.Context, head, givenUp string) error {
	root, err := os.OpenRoot(g.place.work())
	if err != nil {
		return fmt.Errorf("open work tree: %w", err)
	}
	defer root.Close()
	if lock := filepath.Join(g.place.work(), ".git", "index.lock"); exists(lock) && !breakStale(lock, g.place.work()) {
		g.log.WarnContext(ctx, "a git of the agent is at work; its index is left alone", "task", g.id)
		return nil
	}
	if g.sound(root) {
		if err = g.fill(ctx, root, head, givenUp); err == nil {
			return nil
		}
		if ctx.Err() != nil { // that says nothing of the folder
			return context.Cause(ctx)
		}
		g.log.WarnContext(ctx, "the agent's git folder is made anew", "task", g.id, "error", err)
	}
	if err := root.RemoveAll(".git"); err != nil {
		return fmt.Errorf("remove the agent's git folder: %w", err)
	}
	if err := g.create(ctx, root); err != nil {
		return disk.Fault(fmt.Errorf("make the agent's git folder: %w", err), g.place.work())
	}
	if err := g.fill(ctx, root, head, givenUp); err != nil {
		return disk.Fault(fmt.Errorf("fill the agent's git folder: %w", err), g.place.work())
	}
	return nil
}

// mend recreates the agent's git when it is broken and leaves it alone otherwise.
func (g *agentGit) mend(ctx context.Context, head string) error {
	root, err := os.OpenRoot(g.place.work())
	if err != nil {
		return fmt.Errorf("open work tree: %w", err)
	}
	sound := g.sound(root)
	root.Close()
	if lock := filepath.Join(g.place.work(), ".git", "index.lock"); exists(lock) {
		breakStale(lock, g.place.work())
	}
	if sound {
		return nil
	}
	return g.handOver(ctx, head, "")
}

func (g *agentGit) alternates() string { return strings.Join(g.borrowed, "\n") + "\n" }

// sound reports whether the directory is a working git directory that uses our objects as alternates, and has its own in plain files.
func (g *agentGit) sound(root *os.Root) bool {
	for _, dir := range []string{".git", ".git/objects", ".git/refs"} {
		if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
			return false
		}
	}
	for _, file := range []string{".git/config", ".git/HEAD"} {
		if info, err := root.Lstat(file); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	for file, want := range map[string]string{".git/commondir": agentCommonDir, ".git/objects/info/alternates": g.alternates()} {
		if data, err := readSmall(root, file); err != nil || data != want {
			return false
		}
	}
	return plainObjects(root) == nil
}

func (g *agentGit) create(ctx context.Context, root *os.Root) error {
	for _, dir := range []string{"objects/info", "objects/pack", "lfs", "refs/heads", "refs/tags", "info", "logs"} {
		if err := root.MkdirAll(".git/"+dir, 0o755); err != nil {
			return err
		}
	}
	config := shape{format: g.state.Format}.files()["config"]
	config = strings.Replace(config, "bare = true", "bare = false\n\tlogAllRefUpdates = true", 1) +
		"[user]\n\tname = " + configValue(g.author.Name) + "\n\temail = " + configValue(g.author.Email) +
		"\n[commit]\n\tgpgSign = false\n[gc]\n\tauto = 0\n" + g.filters
	refs, err := g.remoteRefs(ctx)
	if err != nil {
		return err
	}
	shallow, err := g.mirror.shallow()
	if err != nil {
		return err
	}
	if shallow != "" {
		if err := root.WriteFile(".git/shallow", []byte(shallow), 0o644); err != nil {
			return err
		}
	}
	return errors.Join(
		root.WriteFile(".git/config", []byte(config), 0o644),
		root.WriteFile(".git/commondir", []byte(agentCommonDir), 0o644),
		root.WriteFile(".git/objects/info/alternates", []byte(g.alternates()), 0o644),
		root.WriteFile(".git/packed-refs", []byte(refs), 0o644),
	)
}

func configValue(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}

// remoteRefs returns the base branch and the tags as a clone would have them.
func (g *agentGit) remoteRefs(ctx context.Context) (string, error) {
	mirror := g.mirror
	tags, err := mirror.run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	rec := g.state.Record
	tip := rec.Base
	if id, err := mirror.ref(ctx, mirrored(rec.BaseBranch)); err == nil && id != "" {
		tip = id
	}
	if tip != "" {
		fmt.Fprintf(&b, "%s refs/remotes/origin/%s\n", tip, rec.BaseBranch)
	}
	for _, t := range lines(tags) {
		b.WriteString(t + "\n")
	}
	return b.String(), nil
}

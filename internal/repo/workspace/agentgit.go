package workspace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/disk"
)

// The .git in the work tree is the agent's: it may look at history, stage and commit as it likes. Our git never uses it
// as a git directory. We write it with plain file operations that can't leave the work tree, whatever links the agent
// has put there, and make it anew when it is broken.

// agentCommonDir is the content of .git/commondir: the folder itself, so it means nothing to git. The file has to be there, for
// programs of a task must not be able to make one: it would lead their git, and that of a person who looks at the workspace, to
// another configuration.
const agentCommonDir = ".\n"

// agentGit writes that folder.
type agentGit struct {
	id       string
	place    place
	bare     repo
	mirror   repo
	state    *state
	author   Person
	borrowed []string // folders of objects
	filters  string   // of Git LFS, as its configuration has them
	log      *slog.Logger
}

// handOver gives the agent's git our state: branch, head and index.
func (g *agentGit) handOver(ctx context.Context, head string) error {
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
		if err = g.fill(ctx, root, head); err == nil {
			return nil
		}
		g.log.WarnContext(ctx, "the agent's git folder is made anew", "task", g.id, "error", err)
	}
	if err := root.RemoveAll(".git"); err != nil {
		return fmt.Errorf("remove the agent's git folder: %w", err)
	}
	if err := g.create(ctx, root); err != nil {
		return disk.Fault(fmt.Errorf("make the agent's git folder: %w", err), g.place.work())
	}
	if err := g.fill(ctx, root, head); err != nil {
		return disk.Fault(fmt.Errorf("fill the agent's git folder: %w", err), g.place.work())
	}
	return nil
}

// mend makes the agent's git anew when it is broken, and leaves it alone when it works.
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
	return g.handOver(ctx, head)
}

func (g *agentGit) alternates() string { return strings.Join(g.borrowed, "\n") + "\n" }

// sound tells whether the folder is a git directory that borrows from ours.
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
	return true
}

func (g *agentGit) create(ctx context.Context, root *os.Root) error {
	for _, dir := range []string{".git/objects/info", ".git/objects/pack", ".git/lfs", ".git/refs/heads", ".git/refs/tags", ".git/info", ".git/logs"} {
		if err := root.MkdirAll(dir, 0o755); err != nil {
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

// remoteRefs are the base branch and the tags, as a clone would have them.
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

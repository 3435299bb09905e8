package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
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

// handOver gives the agent's git our state: branch, head and index.
func (o *opened) handOver(ctx context.Context, head string) error {
	root, err := os.OpenRoot(o.place.work())
	if err != nil {
		return fmt.Errorf("open work tree: %w", err)
	}
	defer root.Close()
	if lock := filepath.Join(o.place.work(), ".git", "index.lock"); exists(lock) && !breakStale(lock, o.place.work()) {
		o.m.log.WarnContext(ctx, "a git of the agent is at work; its index is left alone", "task", o.id)
		return nil
	}
	if o.agentGitSound(root) {
		if err = o.fillAgentGit(ctx, root, head); err == nil {
			return nil
		}
		o.m.log.WarnContext(ctx, "the agent's git folder is made anew", "task", o.id, "error", err)
	}
	if err := root.RemoveAll(".git"); err != nil {
		return fmt.Errorf("remove the agent's git folder: %w", err)
	}
	if err := o.makeAgentGit(ctx, root); err != nil {
		return disk.Fault(fmt.Errorf("make the agent's git folder: %w", err), o.place.work())
	}
	if err := o.fillAgentGit(ctx, root, head); err != nil {
		return disk.Fault(fmt.Errorf("fill the agent's git folder: %w", err), o.place.work())
	}
	return nil
}

// mendAgentGit makes the agent's git anew when it is broken, and leaves it alone when it works.
func (o *opened) mendAgentGit(ctx context.Context, head string) error {
	root, err := os.OpenRoot(o.place.work())
	if err != nil {
		return fmt.Errorf("open work tree: %w", err)
	}
	sound := o.agentGitSound(root)
	root.Close()
	if lock := filepath.Join(o.place.work(), ".git", "index.lock"); exists(lock) {
		breakStale(lock, o.place.work())
	}
	if sound {
		return nil
	}
	return o.handOver(ctx, head)
}

func (o *opened) alternates() string { return strings.Join(o.borrowed(), "\n") + "\n" }

// agentGitSound tells whether the folder is a git directory that borrows from ours.
func (o *opened) agentGitSound(root *os.Root) bool {
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
	for file, want := range map[string]string{".git/commondir": agentCommonDir, ".git/objects/info/alternates": o.alternates()} {
		if data, err := readSmall(root, file); err != nil || data != want {
			return false
		}
	}
	return true
}

func (o *opened) makeAgentGit(ctx context.Context, root *os.Root) error {
	for _, dir := range []string{".git/objects/info", ".git/objects/pack", ".git/lfs", ".git/refs/heads", ".git/refs/tags", ".git/info", ".git/logs"} {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	config := shape{format: o.state.Format}.files()["config"]
	config = strings.Replace(config, "bare = true", "bare = false\n\tlogAllRefUpdates = true", 1) +
		"[user]\n\tname = " + configValue(o.m.config.Author.Name) + "\n\temail = " + configValue(o.m.config.Author.Email) +
		"\n[commit]\n\tgpgSign = false\n[gc]\n\tauto = 0\n" + o.agentFilters()
	refs, err := o.remoteRefs(ctx)
	if err != nil {
		return err
	}
	shallow, err := o.m.mirror(o.state.Mirror).shallow()
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
		root.WriteFile(".git/objects/info/alternates", []byte(o.alternates()), 0o644),
		root.WriteFile(".git/packed-refs", []byte(refs), 0o644),
	)
}

func configValue(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}

// remoteRefs are the base branch and the tags, as a clone would have them.
func (o *opened) remoteRefs(ctx context.Context) (string, error) {
	mirror := o.m.mirror(o.state.Mirror)
	tags, err := mirror.run(ctx, "for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	rec := o.state.Record
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

// inProgress is what a merge, rebase or bisect that was killed leaves.
var inProgress = []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply",
	"sequencer", "BISECT_LOG", "BISECT_START", "BISECT_NAMES", "BISECT_EXPECTED_REV", "index.lock", "HEAD.lock"}

// fillAgentGit writes branch, head and index.
func (o *opened) fillAgentGit(ctx context.Context, root *os.Root, head string) error {
	for _, name := range inProgress {
		if err := root.RemoveAll(path.Join(".git", name)); err != nil {
			return err
		}
	}
	ref := path.Join(".git", o.branchRef())
	if head == "" {
		if err := root.Remove(ref); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	} else {
		if err := root.MkdirAll(path.Dir(ref), 0o755); err != nil {
			return err
		}
		if err := replace(root, ref, []byte(head+"\n")); err != nil {
			return err
		}
	}
	if err := replace(root, ".git/HEAD", []byte("ref: "+o.branchRef()+"\n")); err != nil {
		return err
	}
	if err := o.showBase(root); err != nil {
		return err
	}
	index, err := o.agentIndex(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return replace(root, ".git/index", index)
}

// replace writes a file beside the old one and moves it over, so that a link in its place is replaced, not followed.
func replace(root *os.Root, name string, data []byte) error {
	tmp := name + ".longshift"
	if err := root.RemoveAll(tmp); err != nil {
		return err
	}
	if err := root.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return root.Rename(tmp, name)
}

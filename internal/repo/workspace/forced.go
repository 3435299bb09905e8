package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/repo/git"
)

// addForced adds to the changes the files that an agent has staged, or committed, although .gitignore lists them: `git add -f` says that
// they belong to the work. All else of them is as for other new files.
func (w workTree) addForced(ctx context.Context, parent string, exclude []string, c *changes) error {
	names, err := w.stagedByAgent(ctx, parent, allBut(exclude))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil { // the index is the agent's, and may be anything
		w.runner.log.InfoContext(ctx, "what the agent has staged can't be read", "folder", w.work, "reason", excerpt.Line(err.Error(), 300))
		return nil
	}
	known := map[string]bool{}
	for _, name := range slices.Concat(c.paths, c.junk) {
		known[name] = true
	}
	root, err := os.OpenRoot(w.work)
	if err != nil {
		return err
	}
	defer root.Close()
	names = slices.DeleteFunc(names, func(name string) bool {
		return known[name] || !fs.ValidPath(name) || isExcluded(name, exclude) || !realFile(root, name)
	})
	if len(names) == 0 {
		return nil
	}
	names, junk, err := w.weed(ctx, names)
	c.paths, c.fresh, c.junk = append(c.paths, names...), c.fresh+len(names), append(c.junk, junk...)
	return err
}

// keepForced writes entries of the agent's index for the files that only what is given up has, a commit or a tree, and that .gitignore
// lists: an agent has added them, and without an entry the next commit would leave them out.
func (g *agentGit) keepForced(ctx context.Context, root *os.Root, head, givenUp string, to io.Writer) error {
	if givenUp == "" {
		return nil
	}
	more, err := differ(ctx, g.bare, g.state.under(head), givenUp)
	if err != nil {
		return err
	}
	maps.DeleteFunc(more, func(name string, e entry) bool { return !e.isFile() || !realFile(root, name) })
	if len(more) == 0 {
		return nil
	}
	const here = "./" // so that no name is taken for a pathspec
	var names strings.Builder
	for _, name := range slices.Sorted(maps.Keys(more)) {
		names.WriteString(here + name + "\x00")
	}
	ignored, err := g.work.feed(ctx, names.String(), "check-ignore", "-z", "--stdin")
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil && git.ExitCode(err) != 1 { // 1: none is, or our index has them; otherwise the work tree is the agent's, and may be anything
		g.log.InfoContext(ctx, "what .gitignore lists can't be told", "task", g.id, "reason", excerpt.Line(err.Error(), 300))
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(ignored, "\x00"), "\x00") {
		if name = strings.TrimPrefix(name, here); more[name].mode != "" {
			e := more[name]
			fmt.Fprintf(to, "%s %s 0\t%s\x00", e.mode, e.id, name)
		}
	}
	return nil
}

// isFile tells files and links from commits of other repositories, and from what is gone.
func (e entry) isFile() bool {
	return strings.HasPrefix(e.mode, "100") || strings.HasPrefix(e.mode, "120")
}

// realFile reports whether a file or a link is there, in folders of the work tree.
func realFile(root *os.Root, name string) bool {
	info, err := root.Lstat(filepath.FromSlash(name))
	dir := path.Dir(name)
	return err == nil && (info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0) && (dir == "." || realFolders(root, dir))
}

// stagedByAgent lists the files that the agent's index has beyond a commit. Git reads a copy of that index, with our configuration.
func (w workTree) stagedByAgent(ctx context.Context, commit string, where []string) (names []string, err error) {
	if commit == "" {
		return nil, nil
	}
	copied, err := w.agentIndex()
	if err != nil || copied == "" {
		return nil, err
	}
	defer os.Remove(copied)
	args := []string{"diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--diff-filter=A",
		"--ignore-submodules=none", commit, "--"}
	text, err := w.bounded().with("GIT_INDEX_FILE="+copied).run(ctx, append(args, where...)...)
	rawEntries(text, func(name string, e entry) bool {
		if e.isFile() {
			names = append(names, name)
		}
		return true
	})
	return names, err
}

// agentIndex copies the agent's index to a temporary file in our git directory. It returns "" when there is none, or no regular file.
func (w workTree) agentIndex() (string, error) {
	root, err := os.OpenRoot(w.work)
	if err != nil {
		return "", err
	}
	defer root.Close()
	const name = ".git/index"
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || !realFolders(root, ".git") {
		return "", nil
	}
	if info.Size() > w.runner.most {
		return "", errors.New("the index is too large")
	}
	in, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, w.runner.most))
	if err != nil {
		return "", err
	}
	return indexFile{data, info.ModTime()}.temporary(w.dir)
}

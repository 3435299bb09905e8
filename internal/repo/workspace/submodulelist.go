package workspace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/repo/git"
)

// link is a submodule as listed by the tree that contains it.
type link struct{ path, name, url, commit string }

// unreadable is the prefix of an id for a .gitmodules that git can't parse.
const unreadable = "unreadable "

// links returns the submodules of a tree as a .gitmodules describes them, and an id for everything that both say about them. Gitlinks
// without an entry in it are ignored; git itself leaves their folders empty. blob is the id of the .gitmodules, "" for none.
func links(ctx context.Context, r repo, blob, tree string) (of string, list []link, err error) {
	if blob == "" {
		return "", nil, nil
	}
	text, err := r.run(ctx, "config", "--blob="+blob, "-z", "--list")
	if git.Killed(err) || ctx.Err() != nil {
		return "", nil, err
	}
	if err != nil {
		return unreadable + blob, nil, nil
	}
	named := map[string]*link{}
	for entry := range strings.SplitSeq(text, "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		section, ok := strings.CutPrefix(key, "submodule.")
		dot := strings.LastIndexByte(section, '.')
		if !ok || dot < 0 || !fitName(section[:dot]) {
			continue
		}
		l := named[section[:dot]]
		if l == nil {
			l = &link{name: section[:dot]}
			named[l.name] = l
		}
		switch section[dot+1:] {
		case "path":
			l.path = value
		case "url":
			l.url = value
		}
	}
	byPath := map[string]link{}
	for _, l := range named {
		if other, twice := byPath[l.path]; fitPath(l.path) && (!twice || l.name < other.name) {
			byPath[l.path] = *l
		}
	}
	paths := slices.Sorted(maps.Keys(byPath))
	ids, err := gitlinks(ctx, r, tree, paths)
	if err != nil {
		return "", nil, err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, blob)
	for _, p := range paths {
		if id := ids[p]; id != "" {
			l := byPath[p]
			l.commit = id
			list = append(list, l)
			fmt.Fprintln(sum, id, strconv.Quote(p))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), list, nil
}

// gitmodules returns the blob id of a tree's .gitmodules, "" when there is none. A symbolic link does not count.
func gitmodules(ctx context.Context, r repo, tree string) (string, error) {
	text, err := r.with("GIT_LITERAL_PATHSPECS=1").run(ctx, "ls-tree", "-l", "-z", tree, "--", ".gitmodules")
	if err != nil {
		return "", err
	}
	f := strings.Fields(strings.TrimSuffix(text, "\x00")) // mode type id size path
	if len(f) != 5 || f[0] != "100644" && f[0] != "100755" {
		return "", nil
	}
	if size, err := strconv.Atoi(f[3]); err != nil || size > mostFile {
		return "", nil
	}
	return f[2], nil
}

// modules returns the .gitmodules that describes a tree's submodules: its own when people have committed it, otherwise the newest that they
// have. One of an agent's is not followed, because our git runs outside of the sandbox: it would ask any server for a name that holds what
// the agent has read, and read other repositories of this machine. It is "" when there is none.
func (t *submoduleTree) modules(ctx context.Context, tree string) (string, error) {
	own, err := gitmodules(ctx, t.bare, tree)
	if err != nil || own == "" {
		return "", err
	}
	commits, err := t.history.ofPeople(ctx)
	if err != nil {
		return "", err
	}
	newest := ""
	for _, commit := range commits {
		blob, err := gitmodules(ctx, t.bare, commit)
		if err != nil || blob == own {
			return blob, err
		}
		newest = cmp.Or(newest, blob)
	}
	return newest, nil
}

// gitlinks returns the commits that a tree has at these paths.
func gitlinks(ctx context.Context, r repo, tree string, paths []string) (map[string]string, error) {
	ids := map[string]string{}
	for some := range slices.Chunk(paths, 500) {
		var out bytes.Buffer
		args := append([]string{"ls-tree", "-z", tree, "--"}, some...)
		if err := r.with("GIT_LITERAL_PATHSPECS=1").pipe(ctx, nil, &out, args...); err != nil {
			return nil, err
		}
		for entry := range strings.SplitSeq(out.String(), "\x00") {
			about, name, ok := strings.Cut(entry, "\t")
			if f := strings.Fields(about); ok && len(f) == 3 && f[0] == "160000" && isID(f[2]) {
				ids[name] = f[2]
			}
		}
	}
	return ids, nil
}

// fitName reports whether git accepts the name for a submodule.
func fitName(name string) bool {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' })
	return name != "" && len(name) <= 1000 && !hasControl(name) && !slices.Contains(parts, "..")
}

// fitPath reports whether every platform can create a folder of that name in a work tree, and the name is not reserved by git.
func fitPath(name string) bool {
	if !fs.ValidPath(name) || name == "." || name[0] == '-' || strings.ContainsRune(name, '\\') || hasControl(name) {
		return false
	}
	for part := range strings.SplitSeq(strings.ToLower(name), "/") {
		if strings.HasPrefix(strings.TrimRight(part, ". "), ".git") && !strings.HasPrefix(part, ".github") || strings.HasPrefix(part, "git~") {
			return false
		}
	}
	return true
}

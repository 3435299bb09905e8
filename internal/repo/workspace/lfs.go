package workspace

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/internal/repo/lfs"
)

// A file that .gitattributes assigns to Git LFS is a pointer in git and has its content in the work tree. Git converts between them with
// a filter program that its configuration names. Our filters, below, are configured in our git and in the agent's, so that neither shows
// an unchanged file as changed. If git-lfs is installed for all users, git uses that instead, and it finds the objects in the same
// places: each store is the directory lfs beside the objects of a git directory.
//
// Content that our own git cleans goes into the task's store. Content that the agent's git cleans stays in the agent's directory until
// its commits are adopted. Fetched objects lie beside the mirror and are shared by all tasks.

// clean reads content, stores it in $1 and prints its pointer. Input that already is a pointer, or a pointer in conflict, is printed
// unchanged. So is content that the index holds in the same form, because a file that was committed before LFS tracked it has not
// changed. A store that can't be written is an error in our git. In the agent's git, which a reviewer may only read, just the pointer is
// printed.
const clean = `set -ef; [ "$2" = ours ] || exec 2>/dev/null;
t=$({ [ -d "$1/tmp" ] || mkdir -p "$1/tmp"; } && mktemp "$1/tmp/XXXXXXXX") || { [ "$2" = agent ] && set -- "" && t=$(mktemp); };
trap 'rm -f "$t"' EXIT; cat >"$t"; n=$(($(wc -c <"$t"))); v=; [ $n -gt 1023 ] || read -r v <"$t" || :;
case $n/$v in 0/*|*/"version https://git-lfs.github.com/spec/"*) cat "$t"; exit 0;; esac;
if git cat-file blob :%f 2>/dev/null | cmp -s - "$t"; then cat "$t"; exit 0; fi;
set -- "$1" $(sha256sum <"$t"); r=${2#??}; q=${r#??}; d=$1/objects/${2%%"$r"}/${r%%"$q"};
[ -z "$1" ] || [ -f "$d/$2" ] || { mkdir -p "$d"; sync "$t" || :; mv "$t" "$d/$2"; };
printf "version https://git-lfs.github.com/spec/v1\noid sha256:%%s\nsize %%s\n" $2 $n`

// smudge prints the content of the pointer it reads from the first store that has it. Otherwise it prints the pointer unchanged, and also
// a pointer in conflict.
const smudge = `set -ef; t=$(mktemp); trap 'rm -f "$t"' EXIT; cat >"$t"; v=; o=;
[ $(($(wc -c <"$t"))) -gt 1023 ] || {
  read -r v; while read -r o; do case $o in oid*) break;; ext-*) ;; *) o=; break;; esac; done; } <"$t" || :;
case $v in "version https://git-lfs.github.com/spec/"*) o=${o#oid sha256:};; *) o=;; esac;
case $o in *[!0-9a-f]*) o=;; esac; r=${o#??}; q=${r#??}; f=objects/${o%%"$r"}/${r%%"$q"}/$o;
for s; do if [ "$o" ] && [ -f "$s/$f" ]; then cat "$s/$f"; exit 0; fi; done; cat "$t"`

// filters returns the git settings that enable both filters. Git replaces %f with the quoted file name.
func filters(who, own string, others ...string) [][2]string {
	command := func(script string, args ...string) string {
		line := "set --"
		for _, arg := range args {
			line += " '" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		line = strings.ReplaceAll(line, "%", "%%")
		return line + "; " + strings.ReplaceAll(script, "\n", " ")
	}
	return [][2]string{{"filter.lfs.clean", command(clean, own, who)},
		{"filter.lfs.smudge", command(smudge, append([]string{own}, others...)...)}, {"filter.lfs.required", "true"}}
}

// lfsObjects manages the Git LFS objects of the task's files.
type lfsObjects struct {
	core
	own     lfs.Store // the task's store, for content that our git cleans
	shared  lfs.Store // the repository's store, for fetched objects
	history *history
	remotes *remotes
	mirrors *mirrors
	client  *http.Client
	most    int64 // limit of bytes fetched for a work tree
}

func (l *lfsObjects) stores() []lfs.Store { return []lfs.Store{l.own, l.shared} }

// any reports whether the task has cleaned any object. Most tasks have not.
func (l *lfsObjects) any() bool { return exists(filepath.Join(string(l.own), "objects")) }

// agentFilters returns the filter settings of the agent's git. If git-lfs runs in their place, a pointer without content is not an error
// either.
func agentFilters(p place, own, shared lfs.Store) string {
	text := "[lfs]\n\tskipDownloadErrors = true\n[filter \"lfs\"]\n"
	for _, f := range filters("agent", filepath.Join(p.work(), ".git", "lfs"), string(own), string(shared)) {
		text += "\t" + strings.TrimPrefix(f[0], "filter.lfs.") + " = " + configValue(f[1]) + "\n"
	}
	return text
}

// usesLFS reports whether any .gitattributes of a tree assigns files to Git LFS.
func usesLFS(ctx context.Context, r repo, tree string) (bool, error) {
	_, err := r.run(ctx, "grep", "-q", "-F", "filter=lfs", tree, "--", ":(glob)**/.gitattributes")
	if git.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// server returns the LFS server of the repository. A server that the project configures elsewhere is not used: anybody may change the
// file that names it, and our login is not meant for its host.
func (l *lfsObjects) server(ctx context.Context, rem remote) (lfs.Server, error) {
	if base := l.state.Record.Base; base != "" {
		other, err := l.bare.run(ctx, "config", "--blob", base+":.lfsconfig", "--get-regexp", `^(lfs\.(push)?url|remote\..*\.lfs(push)?url)$`)
		if err == nil && other != "" {
			return nil, fault.New(fault.Denied, "%s keeps its objects of Git LFS on a server of its own, which .lfsconfig names", rem.name)
		}
	}
	switch {
	case rem.ssh:
		return nil, fault.New(fault.Denied, "objects of Git LFS of %s can't be brought there over ssh", rem.name).
			WithHint("name the repository by https")
	case !rem.path:
		return lfs.Remote{URL: rem.url, Name: rem.name, Login: rem.login().Header(), Client: l.client}, nil
	}
	path := rem.url
	if u, err := url.Parse(rem.url); err == nil && u.Scheme == "file" {
		path = u.Path
	}
	dir, err := l.remotes.neutral().run(ctx, "-C", path, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil, fmt.Errorf("find the git folder of %s: %w", rem.name, err)
	}
	return lfs.Folder(filepath.Join(dir, "lfs")), nil
}

// pointers returns the files that are pointers, by blob id.
func pointers(ctx context.Context, r repo, ids []string) (map[string]lfs.Pointer, error) {
	small, err := blobs(ctx, r, ids)
	if err != nil {
		return nil, fmt.Errorf("look for pointers of Git LFS: %w", err)
	}
	out := map[string]lfs.Pointer{}
	for id, content := range small {
		if p, ok := lfs.Parse(content); ok {
			out[id] = p
		}
	}
	return out, nil
}

// blobs reads files that are small enough to be held in memory together.
func blobs(ctx context.Context, r repo, ids []string) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var out strings.Builder
	if err := r.pipe(ctx, []byte(strings.Join(ids, "\n")+"\n"), &out, "cat-file", "--batch"); err != nil {
		return nil, err
	}
	list := map[string][]byte{}
	for rest := out.String(); rest != ""; {
		about, after, _ := strings.Cut(rest, "\n")
		f := strings.Fields(about) // id, type, size
		if len(f) != 3 {
			return nil, fmt.Errorf("git cat-file: %.80q", about)
		}
		size, err := strconv.Atoi(f[2])
		if err != nil || size >= len(after) {
			return nil, fmt.Errorf("git cat-file: %.80q", about)
		}
		list[f[0]], rest = []byte(after[:size]), after[size+1:]
	}
	return list, nil
}

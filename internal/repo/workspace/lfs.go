package workspace

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/internal/repo/lfs"
)

// What .gitattributes keeps in Git LFS is a pointer in git and the content in the work tree. Git makes the one of the other with a
// filter, whose program its configuration names: ours are the two below, in our git and in the agent's, so neither shows such a file as
// changed that is not. Where git-lfs is installed for all users git prefers that, and it finds objects in the same places: each store is
// the folder lfs beside the objects of a git directory.
//
// What our own git cleans goes into the store of the task. What the agent's git cleans stays in the agent's folder until its commits
// are taken over. What is fetched lies beside the mirror, for all tasks.

// clean reads content, keeps it in the store $1, and prints its pointer. What is a pointer already stays as it is, one in conflict too, and
// so does what the index has in that very form: a file that was committed before it was tracked is nobody's change.
// A store that can't be written is a failure in ours; in the agent's, which a reviewer only reads, just the pointer is made.
const clean = `set -ef; [ "$2" = ours ] || exec 2>/dev/null;
t=$({ [ -d "$1/tmp" ] || mkdir -p "$1/tmp"; } && mktemp "$1/tmp/XXXXXXXX") || { [ "$2" = agent ] && set -- "" && t=$(mktemp); };
trap 'rm -f "$t"' EXIT; cat >"$t"; n=$(($(wc -c <"$t"))); v=; [ $n -gt 1023 ] || read -r v <"$t" || :;
case $n/$v in 0/*|*/"version https://git-lfs.github.com/spec/"*) cat "$t"; exit 0;; esac;
if git cat-file blob :%f 2>/dev/null | cmp -s - "$t"; then cat "$t"; exit 0; fi;
set -- "$1" $(sha256sum <"$t"); r=${2#??}; q=${r#??}; d=$1/objects/${2%%"$r"}/${r%%"$q"};
[ -z "$1" ] || [ -f "$d/$2" ] || { mkdir -p "$d"; sync "$t" || :; mv "$t" "$d/$2"; };
printf "version https://git-lfs.github.com/spec/v1\noid sha256:%%s\nsize %%s\n" $2 $n`

// smudge prints the content that the pointer it reads stands for, out of the first of the stores that has it. Without one the pointer
// stays, and so does one in conflict.
const smudge = `set -ef; t=$(mktemp); trap 'rm -f "$t"' EXIT; cat >"$t"; v=; o=;
[ $(($(wc -c <"$t"))) -gt 1023 ] || { read -r v; while read -r o; do case $o in oid*) break;; ext-*) ;; *) o=; break;; esac; done; } <"$t" || :;
case $v in "version https://git-lfs.github.com/spec/"*) o=${o#oid sha256:};; *) o=;; esac;
case $o in *[!0-9a-f]*) o=;; esac; r=${o#??}; q=${r#??}; f=objects/${o%%"$r"}/${r%%"$q"}/$o;
for s; do if [ "$o" ] && [ -f "$s/$f" ]; then cat "$s/$f"; exit 0; fi; done; cat "$t"`

// filters are the settings that make git run them. Git puts the file's name, quoted, in the place of %f.
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

// lfsObjects are the objects that the task's files of Git LFS stand for.
type lfsObjects struct {
	id      string
	place   place
	bare    repo
	own     lfs.Store // of the task: what our git cleans
	shared  lfs.Store // of the repository: what was fetched
	state   *state
	history *history
	remotes *remotes
	mirrors *mirrors
	client  *http.Client
	most    int64 // bytes that are fetched for a work tree
	log     *slog.Logger
}

func (l *lfsObjects) stores() []lfs.Store { return []lfs.Store{l.own, l.shared} }

// any tells whether the task has cleaned anything: most tasks have not.
func (l *lfsObjects) any() bool { return exists(filepath.Join(string(l.own), "objects")) }

// agentFilters are the filters of the agent's git. With git-lfs in their place a pointer that can't be filled is no failure either.
func agentFilters(p place, own, shared lfs.Store) string {
	text := "[lfs]\n\tskipDownloadErrors = true\n[filter \"lfs\"]\n"
	for _, f := range filters("agent", filepath.Join(p.work(), ".git", "lfs"), string(own), string(shared)) {
		text += "\t" + strings.TrimPrefix(f[0], "filter.lfs.") + " = " + configValue(f[1]) + "\n"
	}
	return text
}

// usesLFS tells whether any .gitattributes of a tree keeps files in Git LFS.
func usesLFS(ctx context.Context, r repo, tree string) (bool, error) {
	_, err := r.run(ctx, "grep", "-q", "-F", "filter=lfs", tree, "--", ":(glob)**/.gitattributes")
	if git.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// server gives where the repository keeps its objects. One that the project has put elsewhere is not used: who listens there is up to
// a file that anybody may change, and it is not the host that our login is for.
func (l *lfsObjects) server(ctx context.Context, rem remote) (lfs.Server, error) {
	if base := l.state.Record.Base; base != "" {
		other, err := l.bare.run(ctx, "config", "--blob", base+":.lfsconfig", "--get-regexp", `^(lfs\.(push)?url|remote\..*\.lfs(push)?url)$`)
		if err == nil && other != "" {
			return nil, fault.New(fault.Denied, "%s keeps its objects of Git LFS on a server of its own, which .lfsconfig names", rem.name)
		}
	}
	switch {
	case rem.ssh:
		return nil, fault.New(fault.Denied, "objects of Git LFS of %s can't be brought there over ssh", rem.name).WithHint("name the repository by https")
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

// pointers gives those among the files that are pointers, by the files' ids.
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

// blobs reads files whose contents may be kept in memory together.
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

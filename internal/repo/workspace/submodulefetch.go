package workspace

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// checkedOut returns the submodule's checkout in the user's own local repository, if there is one. Whatever the URL, the user has it
// already.
func (f *filling) checkedOut(name string) []remote {
	dir := strings.TrimPrefix(f.top.url, "file://")
	if !f.top.path {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	if !realFolders(root, name) {
		return nil
	}
	if _, err := root.Lstat(path.Join(name, ".git")); err != nil {
		return nil
	}
	at := filepath.Join(dir, name)
	return []remote{{by: f.top.by, url: at, name: at, path: true, protocol: "file"}}
}

// bring fetches one commit without its history, which is enough for a build. When the server serves only branches, it fetches all of
// them.
func (f *filling) bring(ctx context.Context, rem remote, s *submodule) (why string, err error) {
	if why := f.dead[server(rem)]; why != "" {
		return why, nil
	}
	release, err := f.mirrors.lock(ctx, s.Mirror)
	if err != nil {
		return "", err
	}
	defer release()
	format := "sha1"
	if len(s.Commit) == 64 {
		format = "sha256"
	}
	r, err := f.mirrors.open(ctx, s.Mirror, format)
	if err != nil {
		return "", err
	}
	ref := "refs/longshift/submodule/" + s.Commit
	if have, err := r.ref(ctx, ref); err == nil && have == s.Commit {
		return "", nil
	}
	fetch := append(slices.Clone(bareFetch), "--update-shallow")
	_, err = rem.call(f.soon, r, append(fetch, "--depth=1", "--", rem.url, "+"+s.Commit+":"+ref)...)
	if wantsBranches(err) {
		if _, err = rem.call(f.soon, r, append(fetch, "--", rem.url, "+refs/heads/*:refs/mirror/*")...); err == nil {
			_, err = r.run(ctx, "update-ref", ref, s.Commit)
		}
	}
	if err == nil {
		return "", nil
	}
	if git.Killed(err) || ctx.Err() != nil || disk.Low(r.dir) {
		return "", err
	}
	f.log.WarnContext(ctx, "a submodule can't be fetched", "task", f.id, "submodule", s.Path, "error", err)
	if unreachable(err) && server(rem) != "" {
		f.dead[server(rem)] = server(rem) + " can't be reached"
	}
	return f.reason(rem, s, err), nil
}

// wantsBranches reports whether a server refuses to serve commits by id.
func wantsBranches(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "unadvertised object") || strings.Contains(err.Error(), "does not support shallow"))
}

// unreachable reports whether the server has failed, and not only this repository on it.
func unreachable(err error) bool {
	return strings.Contains(err.Error(), "can't be reached") && !strings.Contains(err.Error(), "returned error")
}

func server(rem remote) string {
	u, err := url.Parse(rem.url)
	if err != nil || rem.path {
		return ""
	}
	return u.Host
}

// reason is the text for people and agents. It leaves out the server's output, which is untrusted.
func (f *filling) reason(rem remote, s *submodule, err error) string {
	kind, text := fault.KindOf(err), err.Error()
	switch {
	case f.soon.Err() != nil:
		return fmt.Sprintf("%s took more than %s together with the others", rem.name, fillWithin)
	case strings.Contains(text, "not our ref") || git.ExitCode(err) == 128 && strings.Contains(text, "update-ref"):
		return fmt.Sprintf("%s does not have its commit %.10s", rem.name, s.Commit)
	case kind == fault.Denied:
		return rem.name + " does not let us in"
	case kind == fault.NotFound:
		return rem.name + " is not there"
	}
	return rem.name + " can't be fetched"
}

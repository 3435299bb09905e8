package cli

import (
	"bufio"
	"cmp"
	"context"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/task"
)

// remote is one of a clone that is on GitHub.
type remote struct {
	name       string
	repository string // owner/name
}

// remotes reads the remotes of clones.
type remotes struct {
	env environ.Environ
	git environ.Git
}

// chosen returns the remote that pull requests go to, by the rules of gh: the one that `gh repo set-default` has stored, else the
// remote upstream, then github, then origin, then the first that there is.
func (r remotes) chosen(ctx context.Context, dir, host string) (remote, bool) {
	all := r.on(ctx, dir, host)
	for _, m := range all {
		switch chosen, _ := r.git.Run(ctx, dir, "config", "--get", "remote."+m.name+".gh-resolved"); {
		case chosen == "base":
			return m, true
		case plainName.MatchString(chosen):
			return remote{repository: chosen}, true
		}
	}
	if len(all) == 0 {
		return remote{}, false
	}
	return all[0], true
}

// on lists the remotes of a clone that are on a host, in the order in which gh prefers them.
func (r remotes) on(ctx context.Context, dir, host string) []remote {
	list, err := r.git.Run(ctx, dir, "remote")
	if err != nil || dir == "" {
		return nil
	}
	var found []remote
	for name := range strings.FieldsSeq(list) {
		address, err := r.git.Run(ctx, dir, "remote", "get-url", name) // with git's own short forms of addresses written out
		if err != nil {
			continue
		}
		if repository := r.onHost(ctx, host, address); repository != "" {
			found = append(found, remote{name, repository})
		}
	}
	liked := []string{"origin", "github", "upstream"}
	slices.SortStableFunc(found, func(a, b remote) int { return cmp.Compare(slices.Index(liked, b.name), slices.Index(liked, a.name)) })
	return found
}

// onHost returns owner/name of an address on a host, else "". In an address of ssh the host may be an alias of the user's configuration.
func (r remotes) onHost(ctx context.Context, host, address string) string {
	at := place(address)
	name := at.on(host)
	if name == "" && at.ssh {
		if at.host = r.sshHost(ctx, at); at.host != "" {
			name = at.on(host)
		}
	}
	return name
}

// sshHost asks ssh which host a name stands for. It connects to nothing.
func (r remotes) sshHost(ctx context.Context, at gitPlace) string {
	path, err := r.env.Program("ssh")
	if err != nil || strings.HasPrefix(at.host, "-") {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, environ.AskWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "-G", cmp.Or(at.user, "git")+"@"+at.host)
	cmd.Env = r.env.Vars
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "hostname "); ok {
			return name
		}
	}
	return ""
}

var (
	shortAddress = regexp.MustCompile(`^(?:([^@/:]+)@)?([^@/:]+):/*([^/].*)$`) // of ssh: user@host:path
	plainName    = regexp.MustCompile("^" + task.RepositoryForm + "$")
)

// gitPlace is an address of git, taken apart. The zero value is none that could be on a forge.
type gitPlace struct {
	user, host, path string
	ssh              bool // no web address: the port, if any, is another one than the web's
}

func place(address string) gitPlace {
	u, err := url.Parse(address)
	switch {
	case err == nil && (u.Scheme == "https" || u.Scheme == "http"):
		return gitPlace{host: u.Host, path: u.Path}
	case err == nil && (u.Scheme == "ssh" || u.Scheme == "git+ssh" || u.Scheme == "git"):
		return gitPlace{user: u.User.Username(), host: u.Hostname(), path: u.Path, ssh: true}
	}
	if m := shortAddress.FindStringSubmatch(address); m != nil {
		return gitPlace{user: m[1], host: m[2], path: m[3], ssh: true}
	}
	return gitPlace{}
}

// on returns owner/name when the address is on a host, else "". GitHub has another name for it over ssh as well.
func (a gitPlace) on(host string) string {
	name := strings.TrimSuffix(strings.Trim(a.path, "/"), ".git")
	at, host := strings.TrimPrefix(strings.ToLower(a.host), "www."), strings.ToLower(host)
	if a.ssh {
		at, host = task.HostName(at), task.HostName(host)
	}
	if at != host || !plainName.MatchString(name) {
		return ""
	}
	return name
}

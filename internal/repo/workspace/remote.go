package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
	"github.com/longshift/longshift/task"
)

// remote is a repository elsewhere, with the login for it.
type remote struct {
	url  string // without a login
	name string // name to show to people
	auth Auth
	path bool // it is a path on this machine
	ssh  bool

	by       *remotes
	protocol string // the only protocol that git may use; "" for all that we support
	moves    bool   // redirects are followed, within the protocol
}

// remotes resolves addresses and logins of repositories.
type remotes struct {
	address func(task.Repository) (string, error)
	login   func(context.Context, task.Repository) (Auth, error) // nil for none
	dir     string                                               // directory of the mirrors, where git runs when it needs no repository
	runner  *runner
	ssh     []string // environment of ssh
	env     []string // environment of every git that contacts a remote
	silence time.Duration
}

// find asks for the address and the login at each use, so that neither is kept.
func (m *remotes) find(ctx context.Context, r task.Repository) (remote, error) {
	address, err := m.address(r)
	if err != nil {
		return remote{}, fmt.Errorf("find the address of %s: %w", r.Text, err)
	}
	out := remote{by: m, url: address, name: r.Text, path: strings.HasPrefix(address, "/") || strings.HasPrefix(address, "file://")}
	out.name = cmp.Or(out.name, git.Scrub(address))
	if strings.HasPrefix(address, "-") || strings.Contains(address, "::") {
		return remote{}, fault.New(fault.Input, "repository %s has an address that git can't be given", out.name)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		out.ssh = !out.path
		return out, nil
	}
	if u.User != nil { // a login in the URL would appear in the process list
		password, _ := u.User.Password()
		out.auth = Auth{User: u.User.Username(), Token: password}
		u.User = nil
		out.url = u.String()
	}
	if m.login != nil {
		auth, err := m.login(ctx, r)
		if err != nil {
			return remote{}, fmt.Errorf("get the login for %s: %w", out.name, err)
		}
		if auth.Token != "" {
			out.auth = auth
		}
	}
	return out, nil
}

// settings returns the git settings for a call to the remote. Redirects are not followed when there is a login, because git would send it
// to the new address.
func (r remote) settings() [][2]string {
	follow := "false"
	if r.moves {
		follow = "initial"
	}
	seconds := max(1, int(r.by.silence.Seconds()))
	return [][2]string{{"http.followRedirects", follow}, {"http.lowSpeedLimit", "1"}, {"http.lowSpeedTime", strconv.Itoa(seconds)}}
}

// login returns the login for http and https, if there is one.
func (r remote) login() git.Login {
	return git.Login{URL: r.url, User: r.auth.User, Token: r.auth.Token}
}

// networkEnv keeps the worker's variables for proxies, certificates and the ssh agent.
func networkEnv(c Config) []string {
	var env []string
	for _, name := range []string{
		"http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
		"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
	} {
		if v := git.Lookup(c.Environ, name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// sshEnv keeps the variables with which ssh finds keys and known hosts.
func sshEnv(c Config) []string {
	var env []string
	for _, name := range []string{"HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK"} {
		if v := git.Lookup(c.Environ, name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// call runs a git command that contacts the remote. A failed call returns its output and a fault.
func (r remote) call(ctx context.Context, from repo, args ...string) (string, error) {
	out, err := r.callOnce(ctx, from, args)
	if from.unlock(ctx, err) {
		return r.callOnce(ctx, from, args)
	}
	return out, err
}

func (r remote) callOnce(ctx context.Context, from repo, args []string) (string, error) {
	g := from.git()
	g.Guarded, g.Login, g.Protocols = true, r.login(), cmp.Or(r.protocol, "file:http:https:ssh")
	g.Settings = slices.Concat(g.Settings, r.settings())
	g.Env = slices.Concat(g.Env, r.by.env)
	if r.ssh {
		g.Env = append(g.Env, r.by.ssh...)
	}
	out, err := g.Output(ctx, nil, args...)
	if failed, ok := errors.AsType[*git.Error](err); ok {
		return out, classify(from.judge(err), r, out, failed.Stderr)
	}
	return out, err
}

// neutral is for commands that need no repository of ours. Git does not search for one.
func (m *remotes) neutral() repo {
	return repo{runner: m.runner, env: []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(m.dir)}}
}

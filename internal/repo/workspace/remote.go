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

// remote is a repository somewhere else, with how to get in.
type remote struct {
	url  string // without a login
	name string // for people
	auth Auth
	path bool // on this machine
	ssh  bool

	by       *remotes
	protocol string // the only one that git may speak; "" for all that we speak
	moves    bool   // a redirect is followed, within the protocol
}

// remotes finds out how a repository is reached.
type remotes struct {
	address func(task.Repository) (string, error)
	login   func(context.Context, task.Repository) (Auth, error) // nil for none
	dir     string                                               // of mirrors, where git runs that needs none
	runner  *runner
	ssh     []string // environment of ssh
	env     []string // of all that talk to a remote
	silence time.Duration
}

// find asks for the address and the login at the last moment, so that neither is kept.
func (m *remotes) find(ctx context.Context, r task.Repository) (remote, error) {
	address, err := m.address(r)
	if err != nil {
		return remote{}, fmt.Errorf("find the address of %s: %w", r.Text, err)
	}
	out := remote{by: m, url: address, name: r.Text, path: strings.HasPrefix(address, "/") || strings.HasPrefix(address, "file://")}
	if out.name == "" {
		out.name = git.Scrub(address)
	}
	if strings.HasPrefix(address, "-") || strings.Contains(address, "::") {
		return remote{}, fault.New(fault.Input, "repository %s has an address that git can't be given", out.name)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		out.ssh = !out.path
		return out, nil
	}
	if u.User != nil { // a login in an address would show in the process list
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

// settings of a git that talks to the remote. Redirects are not followed where there is a login: git would show it to the new place.
func (r remote) settings() [][2]string {
	follow := "false"
	if r.moves {
		follow = "initial"
	}
	seconds := max(1, int(r.by.silence.Seconds()))
	return [][2]string{{"http.followRedirects", follow}, {"http.lowSpeedLimit", "1"}, {"http.lowSpeedTime", strconv.Itoa(seconds)}}
}

// login lets us in where there is one for http and https.
func (r remote) login() git.Login {
	return git.Login{URL: r.url, User: r.auth.User, Token: r.auth.Token}
}

// networkEnv lets proxies, certificates and the ssh agent of the worker through.
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

// sshEnv lets ssh find its keys and known hosts.
func sshEnv(c Config) []string {
	var env []string
	for _, name := range []string{"HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK"} {
		if v := git.Lookup(c.Environ, name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// call runs a git that talks to the remote, and starts others for it. The result of a failed call is what it printed, and an error with
// its kind.
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
	var failed *git.Error
	if errors.As(err, &failed) {
		return out, classify(from.judge(err), r, failed.Stderr)
	}
	return out, err
}

// neutral is for calls that need no repository of ours; git looks for none.
func (m *remotes) neutral() repo {
	return repo{runner: m.runner, env: []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(m.dir)}}
}

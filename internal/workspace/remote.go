package workspace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/process"
	"github.com/longshift/longshift/internal/task"
)

// remote is a repository somewhere else, with how to get in.
type remote struct {
	url  string // without a login
	name string // for people
	auth Auth
	path bool // on this machine
	ssh  bool

	protocol string // the only one that git may speak; "" for all that we speak
	moves    bool   // a redirect is followed, within the protocol
}

// remote asks for the address and the login at the last moment, so that neither is kept.
func (m *Manager) remote(ctx context.Context, r task.Repository) (remote, error) {
	address, err := m.config.RemoteURL(r)
	if err != nil {
		return remote{}, fmt.Errorf("find the address of %s: %w", r.Text, err)
	}
	out := remote{url: address, name: r.Text, path: strings.HasPrefix(address, "/") || strings.HasPrefix(address, "file://")}
	if out.name == "" {
		out.name = scrub(address)
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
	if m.config.Auth != nil {
		auth, err := m.config.Auth(ctx, r)
		if err != nil {
			return remote{}, fmt.Errorf("get the login for %s: %w", out.name, err)
		}
		if auth.Token != "" {
			out.auth = auth
		}
	}
	return out, nil
}

// settings hold the login as a header. They reach git through its environment only, and count for this host only.
// Redirects are not followed where there is one: git would show the login to the new place.
func (r remote) settings(silence string) [][2]string {
	pairs := [][2]string{
		{"http.followRedirects", "false"}, {"http.lowSpeedLimit", "1"}, {"http.lowSpeedTime", silence},
		{"core.sshCommand", "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"},
	}
	if r.moves {
		pairs[0][1] = "initial"
	}
	if login := r.login(); login != "" {
		pairs = append(pairs, [2]string{"http." + r.url + ".extraHeader", "Authorization: " + login})
	}
	return pairs
}

// login is the value of the header that lets us in, "" for none.
func (r remote) login() string {
	if r.auth.Token == "" {
		return ""
	}
	user := cmp.Or(r.auth.User, "x-access-token")
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+r.auth.Token))
}

// networkEnv lets proxies, certificates and the ssh agent of the worker through.
func networkEnv(c Config) []string {
	var env []string
	for _, name := range []string{
		"http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
		"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
	} {
		if v := lookEnv(c.Environ, name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// sshEnv lets ssh find its keys and known hosts.
func sshEnv(c Config) []string {
	var env []string
	for _, name := range []string{"HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK"} {
		if v := lookEnv(c.Environ, name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// call runs a git that talks to the remote, under a guard, for it starts others. The result of a failed call is what it
// printed, and an error with its kind.
func (r repo) call(ctx context.Context, rem remote, args ...string) (string, error) {
	out, err := r.callOnce(ctx, rem, args)
	if r.unlock(ctx, err) {
		return r.callOnce(ctx, rem, args)
	}
	return out, err
}

func (r repo) callOnce(ctx context.Context, rem remote, args []string) (string, error) {
	env := append(r.environ(rem.settings(strconv.Itoa(max(1, int(r.m.config.Silence.Seconds()))))), r.m.netEnv...)
	if rem.ssh {
		env = append(env, sshEnv(r.m.config)...)
	}
	if rem.protocol != "" {
		env = append(slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, allowProtocol) }), allowProtocol+rem.protocol)
	}
	out, exit, stderr, err := guarded(ctx, process.Spec{Path: r.m.git, Args: args, Dir: r.cwd(), Env: env})
	if ctx.Err() != nil {
		return "", fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	stderr = rem.hide(stderr)
	if err := r.m.judge(args[0], exit, stderr); err != nil {
		return rem.hide(out), classify(err, rem, stderr)
	}
	return out, nil
}

func guarded(ctx context.Context, s process.Spec) (string, process.Exit, string, error) {
	p, err := process.Start(ctx, s)
	if err != nil {
		return "", process.Exit{}, "", err
	}
	var out bytes.Buffer
	_, err = io.Copy(&out, p.Stdout())
	exit := p.Wait()
	return out.String(), exit, p.Stderr(), err
}

// hide takes the login out of a text in every form it has here.
func (r remote) hide(text string) string {
	if r.auth.Token != "" {
		basic := base64.StdEncoding.EncodeToString([]byte(r.auth.User + ":" + r.auth.Token))
		text = strings.NewReplacer(r.auth.Token, "***", url.QueryEscape(r.auth.Token), "***", basic, "***").Replace(text)
	}
	return scrub(text)
}

// neutral is for calls that need no repository of ours; git looks for none.
func (m *Manager) neutral() repo {
	return repo{m: m, env: []string{"GIT_CEILING_DIRECTORIES=" + m.config.Dir}}
}

package cli

import (
	"context"
	"net"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

// target is the repository that a task works on: the one that is named, or that GITHUB_REPO names, or what the clone that we are in
// comes from when that is on GitHub; else the folder. With --local it is the folder in any case.
func (p *program) target(ctx context.Context, o *runOptions) (string, error) {
	if o.repo != "" && o.local {
		return "", fault.New(fault.Input, "--repo %s: given together with --local", o.repo).WithHint("give one of the two")
	}
	folder, err := p.repository(ctx, o.repo)
	if o.repo != "" || o.local {
		return folder, err
	}
	conf, wrong := p.config()
	if wrong != nil {
		return "", wrong
	}
	host := conf.GitHubHost()
	if named := p.env.Get("GITHUB_REPO"); named != "" {
		r, err := task.ParseRepository(named)
		if err != nil || r.Path != "" {
			return "", fault.New(fault.Input, "GITHUB_REPO=%q: not a repository of GitHub", named).WithHint("give owner/name, or give --local")
		}
		o.forge = &forgeTarget{host: host, repository: named}
		if folder != "" && p.origin(ctx, folder, host) == r.Owner+"/"+r.Name {
			o.forge.clone = folder
		}
		return named, nil
	}
	if err != nil {
		return "", err
	}
	name := p.origin(ctx, folder, host)
	if name == "" {
		return folder, ctx.Err()
	}
	o.forge = &forgeTarget{host: host, repository: name, clone: folder}
	return name, nil
}

// forgeTarget is a repository on GitHub that was not named with --repo: what a task needs of it is seen to before it is started.
type forgeTarget struct {
	host, repository string
	clone            string // on this machine; "" when there is none
}

func (t *forgeTarget) String() string { return t.host + "/" + t.repository }

// origin gives owner/name when a clone comes from the host, else "". git itself says what its short forms of addresses mean.
func (p *program) origin(ctx context.Context, dir, host string) string {
	address, err := p.git(ctx, dir, "remote", "get-url", "origin")
	if err != nil {
		return ""
	}
	return nameOn(host, address)
}

var (
	shortAddress = regexp.MustCompile(`^(?:[^@/:]+@)?([^@/:]+):/*([^/].*)$`) // of ssh: user@host:path
	plainName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`)
)

// nameOn gives owner/name of an address of git on a host, else "". A user or a password in it is left out. Over ssh the port of the
// host is another one, and GitHub has another name for it as well.
func nameOn(host, address string) string {
	var at, path string
	switch u, err := url.Parse(address); {
	case err == nil && (u.Scheme == "https" || u.Scheme == "http"):
		at, path = u.Host, u.Path
	case err == nil && (u.Scheme == "ssh" || u.Scheme == "git+ssh" || u.Scheme == "git"):
		at, path, host = u.Hostname(), u.Path, withoutPort(host)
	default:
		if m := shortAddress.FindStringSubmatch(address); m != nil {
			at, path, host = m[1], m[2], withoutPort(host)
		}
	}
	name := strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	at = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(at), "www."), "ssh.")
	if at != strings.ToLower(host) || !plainName.MatchString(name) {
		return ""
	}
	return name
}

func withoutPort(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		return h
	}
	return host
}

// withToken gives the configuration with a token for GitHub: what is set, or what gh is logged in with.
func (p *program) withToken(ctx context.Context) (config.Config, error) {
	conf, err := p.config()
	if err != nil || conf.GitHubToken.Present() {
		return conf, err
	}
	if token := p.ghToken(ctx, conf.GitHubHost()); token != "" {
		conf.GitHubToken = config.NewSecret(token, ghSource)
		p.config = func() (config.Config, error) { return conf, nil } // gh is asked once
	}
	return conf, nil
}

const ghSource = "gh auth token"

// ghToken asks GitHub's own command line, where there is one.
func (p *program) ghToken(ctx context.Context, host string) string {
	path, err := p.findProgram("gh")
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, versionWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "auth", "token", "--hostname", host)
	cmd.Env = p.env.Vars
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if token := strings.TrimSpace(string(out)); err == nil && !strings.ContainsAny(token, " \t\r\n\x00") {
		return token
	}
	return "" // nobody is logged in there
}

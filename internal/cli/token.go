package cli

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/config"
)

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

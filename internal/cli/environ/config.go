package environ

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/config"
)

// Config is that of the process's environment, read when it is first asked for.
type Config struct {
	env  Environ
	Read func() (config.Config, error)
}

func NewConfig(env Environ) *Config {
	return &Config{env, sync.OnceValues(func() (config.Config, error) { return config.Load(env.Lookup) })}
}

// WithToken returns the configuration with a token for GitHub: the one that is set, or that of gh's login.
func (c *Config) WithToken(ctx context.Context) (config.Config, error) {
	conf, err := c.Read()
	if err != nil || conf.GitHub.Authorized() {
		return conf, err
	}
	if token := c.GHToken(ctx, conf.GitHub.Host()); token != "" {
		conf.GitHub.Token = config.NewSecret(token, config.GHTokenSource)
		c.Read = func() (config.Config, error) { return conf, nil } // gh is asked once
	}
	return conf, nil
}

// GHToken asks GitHub's own command line for its token, "" for none.
func (c *Config) GHToken(ctx context.Context, host string) string {
	path, err := c.env.Program("gh")
	if err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, AskWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "auth", "token", "--hostname", host)
	cmd.Env = c.env.Vars
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if token := strings.TrimSpace(string(out)); err == nil && !strings.ContainsAny(token, " \t\r\n\x00") {
		return token
	}
	return "" // nobody is logged in there
}

// OwnHost reads the id of the host that the data folder belongs to; "" when no worker has used it yet.
func OwnHost(data string) string {
	id, err := os.ReadFile(filepath.Join(data, "host-id"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

package config

import (
	"cmp"
	"net/url"
	"time"
)

// GitHub configures the forge, and what starts and steers tasks there.
type GitHub struct {
	Token        Secret        `envconfig:"LONGSHIFT_GITHUB_TOKEN" fallback:"GH_TOKEN,GITHUB_TOKEN" help:"token for cloning, pushing and pull requests"`
	URL          string        `envconfig:"LONGSHIFT_GITHUB_URL" help:"base URL of a GitHub Enterprise server; github.com when empty"`
	Webhook      Secret        `envconfig:"LONGSHIFT_GITHUB_WEBHOOK_SECRET" help:"secret of the webhooks that GitHub sends to /webhooks/github"`
	Repositories []string      `envconfig:"LONGSHIFT_GITHUB_REPOSITORIES" help:"repositories whose issues and comments start and steer tasks (comma list: owner/name; owner/* for webhooks only)"`
	Label        string        `envconfig:"LONGSHIFT_GITHUB_LABEL" default:"longshift" help:"label that makes an issue a task"`
	Poll         time.Duration `envconfig:"LONGSHIFT_GITHUB_POLL" default:"1m" help:"how often GitHub is asked for what no webhook told (duration, 0s = never)"`
}

// Linear configures the issue tracker that intakes read.
type Linear struct {
	Token Secret `envconfig:"LONGSHIFT_LINEAR_TOKEN" help:"API key or OAuth token of Linear, for intakes"`
	URL   string `envconfig:"LONGSHIFT_LINEAR_URL" default:"https://api.linear.app" help:"base URL of Linear's API"`
}

// Host returns the host of GitHub, or of the GitHub Enterprise server, with its port when it has one.
func (g GitHub) Host() string {
	u, err := url.Parse(g.URL)
	if err != nil {
		return "github.com"
	}
	return cmp.Or(u.Host, "github.com")
}

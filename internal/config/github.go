package config

import (
	"cmp"
	"net/url"
	"time"
)

// GitHub configures the forge, and what starts and steers tasks there.
type GitHub struct {
	Token        Secret        `envconfig:"LONGSHIFT_GITHUB_TOKEN" fallback:"GH_TOKEN,GITHUB_TOKEN"`
	URL          string        `envconfig:"LONGSHIFT_GITHUB_URL"`
	Webhook      Secret        `envconfig:"LONGSHIFT_GITHUB_WEBHOOK_SECRET"`
	Repositories []string      `envconfig:"LONGSHIFT_GITHUB_REPOSITORIES"`
	Label        string        `envconfig:"LONGSHIFT_GITHUB_LABEL" default:"longshift"`
	Poll         time.Duration `envconfig:"LONGSHIFT_GITHUB_POLL" default:"1m"`
}

// GHTokenSource is where a token is said to come from that the command line was given by gh.
const GHTokenSource = "gh auth token"

// Linear configures the issue tracker that intakes read.
type Linear struct {
	Token Secret `envconfig:"LONGSHIFT_LINEAR_TOKEN"`
	URL   string `envconfig:"LONGSHIFT_LINEAR_URL" default:"https://api.linear.app"`
}

// Host returns the host of GitHub, or of the GitHub Enterprise server, with its port when it has one.
func (g GitHub) Host() string {
	u, err := url.Parse(g.URL)
	if err != nil {
		return "github.com"
	}
	return cmp.Or(u.Host, "github.com")
}

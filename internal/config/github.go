package config

import (
	"cmp"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// GitHub configures the forge, and what starts and steers tasks there.
type GitHub struct {
	Token        Secret `envconfig:"LONGSHIFT_GITHUB_TOKEN" fallback:"GH_TOKEN,GITHUB_TOKEN"`
	App          GitHubApp
	URL          string        `envconfig:"LONGSHIFT_GITHUB_URL"`
	Webhook      Secret        `envconfig:"LONGSHIFT_GITHUB_WEBHOOK_SECRET"`
	Repositories []string      `envconfig:"LONGSHIFT_GITHUB_REPOSITORIES"`
	Label        string        `envconfig:"LONGSHIFT_GITHUB_LABEL" default:"longshift"`
	Poll         time.Duration `envconfig:"LONGSHIFT_GITHUB_POLL" default:"1m"`
	Writes       int           `envconfig:"LONGSHIFT_GITHUB_WRITES" default:"80"`
}

// GitHubApp is the app that stands in for a token.
type GitHubApp struct {
	ID           string `envconfig:"LONGSHIFT_GITHUB_APP_ID"`
	Key          Secret `envconfig:"LONGSHIFT_GITHUB_APP_PRIVATE_KEY" lines:"many"`
	Installation int64  `envconfig:"LONGSHIFT_GITHUB_APP_INSTALLATION"`
}

// Present tells whether an app is configured.
func (a GitHubApp) Present() bool { return a.ID != "" }

// Authorized tells whether there is a token or an app.
func (g GitHub) Authorized() bool { return g.Token.Present() || g.App.Present() }

// Source names where the token comes from, or the app's private key.
func (g GitHub) Source() string { return cmp.Or(g.Token.Source(), g.App.Key.Source()) }

// GHTokenSource is where a token is said to come from that the command line was given by gh.
const GHTokenSource = "gh auth token"

// Linear configures the issue tracker that intakes read.
type Linear struct {
	Token Secret `envconfig:"LONGSHIFT_LINEAR_TOKEN"`
	URL   string `envconfig:"LONGSHIFT_LINEAR_URL" default:"https://api.linear.app"`
}

// Host returns the host of the web pages and repositories of GitHub, or of the GitHub Enterprise server, with its port when it has one.
// Where the API has a host of its own, that is the same with "api." before it.
func (g GitHub) Host() string {
	u, err := url.Parse(g.URL)
	if err != nil {
		return "github.com"
	}
	return cmp.Or(strings.TrimPrefix(u.Host, "api."), "github.com")
}

// appID matches the number of an app, and the client id that GitHub also takes for it.
var appID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,40}$`)

// validateGitHub checks the app, and that there is one way to log in: a token that was set for Longshift, or an app. With an app, the
// variables of other programs name no token.
func (c *Config) validateGitHub() (mistakes []error) {
	app, token := c.GitHub.App, &c.GitHub.Token
	wrong := func(ok bool, name, value, what string) {
		if !ok {
			mistakes = append(mistakes, mistake(name, value, what))
		}
	}
	wrong(app.ID == "" || appID.MatchString(app.ID), "LONGSHIFT_GITHUB_APP_ID", app.ID,
		"not the id of an app; give its number or client id, which its page under Developer settings shows")
	wrong(app.ID == "" || app.Key.Present(), "LONGSHIFT_GITHUB_APP_ID", app.ID,
		"has no private key; set LONGSHIFT_GITHUB_APP_PRIVATE_KEY_FILE")
	wrong(app.ID != "" || !app.Key.Present(), app.Key.Source(), "", "of no app; set LONGSHIFT_GITHUB_APP_ID as well")
	wrong(app.Installation >= 0, "LONGSHIFT_GITHUB_APP_INSTALLATION", strconv.FormatInt(app.Installation, 10),
		"not the number of an installation; give the one at the end of its page's address, or leave it out")
	wrong(app.ID != "" || app.Installation == 0, "LONGSHIFT_GITHUB_APP_INSTALLATION", strconv.FormatInt(app.Installation, 10),
		"of no app; set LONGSHIFT_GITHUB_APP_ID as well")
	if app.Present() && token.Present() {
		wrong(!strings.HasPrefix(token.Source(), "LONGSHIFT_"), token.Source(), "",
			"set together with LONGSHIFT_GITHUB_APP_ID; give a token or an app")
		*token = Secret{}
		c.unset("LONGSHIFT_GITHUB_TOKEN")
	}
	return mistakes
}

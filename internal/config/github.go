package config

import (
	"cmp"
	"net/url"
)

// GitHubHost is the host of GitHub, or of the GitHub Enterprise server that is set, with its port when it has one.
func (c Config) GitHubHost() string {
	u, err := url.Parse(c.GitHubURL)
	if err != nil {
		return "github.com"
	}
	return cmp.Or(u.Host, "github.com")
}

package github

import (
	"net/url"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// Names that others have chosen, as they may stand in an item: one line, bounded.
const (
	maxLogin = 80  // bytes
	maxName  = 200 // bytes of a check's name, and of a path
	maxURL   = 300 // bytes; what is longer is left out, for a part of an address leads elsewhere
)

// loginOf is the name of a user as it may be shown.
func loginOf(u *gh.User) string { return forge.CleanLine(u.GetLogin(), maxLogin) }

// pageURL is an address that a browser may open, or "": http or https, without a user in it, and no longer than people can take in.
func pageURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	if forge.CleanLine(text, maxURL) != text || len(u.String()) > maxURL {
		return ""
	}
	return u.String()
}

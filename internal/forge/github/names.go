package github

import (
	"net/url"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// Limits for names that others have chosen. In an item they are on one line.
const (
	maxLogin = 80  // bytes
	maxName  = 200 // bytes of a check's name, and of a path
	maxURL   = 300 // bytes; longer ones are left out, because part of an address leads elsewhere
)

// loginOf returns the name of a user for an item.
func loginOf(u *gh.User) string { return forge.CleanLine(u.GetLogin(), maxLogin) }

// pageURL returns an address that a browser may open, or "": http or https, without a user, at most maxURL bytes.
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

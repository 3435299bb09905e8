package git

import (
	"cmp"
	"encoding/base64"
	"net/url"
	"regexp"
	"strings"
)

// Login lets git in at one address of http or https.
type Login struct {
	URL   string // without a login in it
	User  string // "x-access-token" when empty
	Token string
}

// Header is the value of the Authorization header, "" for none.
func (l Login) Header() string {
	if l.Token == "" {
		return ""
	}
	return "Basic " + l.basic()
}

func (l Login) basic() string {
	return base64.StdEncoding.EncodeToString([]byte(cmp.Or(l.User, "x-access-token") + ":" + l.Token))
}

// settings hold the login as a header that counts for its address only.
func (l Login) settings() [][2]string {
	if l.Token == "" {
		return nil
	}
	return [][2]string{{"http." + l.URL + ".extraHeader", "Authorization: " + l.Header()}}
}

// hide takes the login out of a text in every form in which git has it, and any other that has a known form.
func (l Login) hide(text string) string {
	if l.Token != "" {
		text = strings.NewReplacer(l.basic(), "***", l.Token, "***", url.QueryEscape(l.Token), "***").Replace(text)
	}
	return Scrub(text)
}

var (
	userinfo  = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^/@\s'"]*@`)
	authorize = regexp.MustCompile(`(?i)(authorization:\s*\w+\s+)\S+`)
)

// Scrub takes logins out of a text that has addresses and headers in it.
func Scrub(text string) string {
	return authorize.ReplaceAllString(userinfo.ReplaceAllString(text, "$1"), "$1***")
}

package task

import (
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Repository is a parsed repository name: Owner and Name, a URL, or a Path.
type Repository struct {
	Text  string `json:"text"`            // as given, without secrets
	Host  string `json:"host,omitempty"`  // of a URL; empty for owner/name and paths
	Owner string `json:"owner,omitempty"` // may contain slashes for nested groups
	Name  string `json:"name,omitempty"`
	URL   string `json:"url,omitempty"`
	Path  string `json:"path,omitempty"`
}

// Parts of expressions that match the name of an owner on a forge, and of a repository with its owner.
const (
	OwnerForm      = "[A-Za-z0-9][A-Za-z0-9_-]*"
	RepositoryForm = OwnerForm + "/[A-Za-z0-9._-]+"
)

var ownerName = regexp.MustCompile("^" + RepositoryForm + "$")

// HostName is how a forge's host is compared: in small letters, without the port, which is not always given, without the brackets of an
// IPv6 address, and without what GitHub has before its name over ssh.
func HostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimPrefix(strings.ToLower(strings.Trim(host, "[]")), "ssh.")
}

// ParseRepository parses owner/name, a git URL or an absolute path. It rejects a password in a URL, because it would become part of the
// history.
func ParseRepository(text string) (Repository, error) {
	bad := func(why string) (Repository, error) {
		return Repository{}, fault.New(fault.Input, "repository %q %s", safeURL(text), why).
			WithHint("give owner/name, a git URL without a password, or an absolute path")
	}
	switch {
	case text == "":
		return bad("is missing")
	case strings.ContainsAny(text, "\x00\n\r") || strings.HasPrefix(text, "-"):
		return bad("is not a repository name")
	case filepath.IsAbs(text):
		return Repository{Text: text, Path: filepath.Clean(text), Name: strings.TrimSuffix(filepath.Base(text), ".git")}, nil
	case strings.ContainsAny(text, "\t "):
		return bad("is not a repository name")
	case ownerName.MatchString(text):
		owner, name, _ := strings.Cut(text, "/")
		return Repository{Text: text, Owner: owner, Name: strings.TrimSuffix(name, ".git")}, nil
	}
	return parseURL(text, bad)
}

// scpForm matches git's short form of an ssh address: user@host:path.
var scpForm = regexp.MustCompile(`^([a-z_][a-z0-9_-]*)@([A-Za-z0-9.-]+):([^/].*)$`)

func parseURL(text string, bad func(string) (Repository, error)) (Repository, error) {
	if m := scpForm.FindStringSubmatch(text); m != nil {
		r := Repository{Text: text, URL: text, Host: m[2]}
		r.Owner, r.Name = splitPath(m[3])
		return r, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return bad("is not a repository name")
	}
	if _, has := u.User.Password(); has {
		return bad("holds a password")
	}
	switch u.Scheme {
	case "file":
		if !filepath.IsAbs(u.Path) {
			return bad("is not an absolute path")
		}
		return Repository{Text: text, Path: filepath.Clean(u.Path), Name: strings.TrimSuffix(filepath.Base(u.Path), ".git")}, nil
	case "http", "https", "ssh":
		if u.Host == "" || strings.Trim(u.Path, "/") == "" {
			return bad("has no host or no path")
		}
		r := Repository{Text: text, URL: text, Host: u.Host}
		r.Owner, r.Name = splitPath(u.Path)
		return r, nil
	}
	return bad("has a scheme that is not https, http, ssh or file")
}

func splitPath(p string) (owner, name string) {
	p = strings.TrimSuffix(strings.Trim(p, "/"), ".git")
	if i := strings.LastIndex(p, "/"); i >= 0 {
		return p[:i], p[i+1:]
	}
	return "", p
}

// safeURL removes the password for use in an error.
func safeURL(text string) string {
	if u, err := url.Parse(text); err == nil {
		if _, has := u.User.Password(); has {
			return u.Redacted()
		}
	}
	return text
}

// Slug returns a short name for ids and search attributes: owner-name, or the folder's name.
func (r Repository) Slug() string {
	s := r.Name
	if r.Owner != "" {
		s = r.Owner + "-" + r.Name
	}
	return Slug(s, 60)
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// Slug converts text to at most n lower-case letters, digits and hyphens. The result may be empty.
func Slug(words string, n int) string {
	s := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(words), "-"), "-")
	if len(s) > n {
		s = strings.TrimRight(s[:n], "-")
	}
	return s
}

// CheckpointRef is the ref of a task's repository that holds what the task has committed so far. It is removed when the task ends.
func CheckpointRef(taskID string) string { return "refs/longshift/" + taskID }

package github

import (
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

// refusalHolds is how long a missing permission is not tried again.
const refusalHolds = time.Hour

// needed is the permission that each step takes of a fine-grained token or an app. "" means that no permission opens it.
var needed = map[string]string{
	"read repository":             "Metadata: read",
	"ask what a user may do":      "Metadata: read", // and the account must be able to write
	"ask whose token it is":       "",
	"read the app":                "",
	"find the installation":       "",
	"list installations":          "",
	"get a token of the app":      "",
	"read base branch":            "Contents: read",
	"read the fork":               "Contents: read",
	"make the fork":               "Administration: write",
	"wait for the fork":           "",
	"list branches":               "Contents: read",
	"read pull request":           "Pull requests: read",
	"read the diff":               "Pull requests: read",
	"list pull requests":          "Pull requests: read",
	"list reviews":                "Pull requests: read",
	"list comments on lines":      "Pull requests: read",
	"create pull request":         "Pull requests: write",
	"update pull request":         "Pull requests: write",
	"close pull request":          "Pull requests: write",
	"add labels":                  "Pull requests: write",
	"request reviewers":           "Pull requests: write",
	"answer a thread":             "Pull requests: write",
	"remove an answer":            "Pull requests: write",
	"list comments":               "Issues: read",
	"read issue":                  "Issues: read",
	"list issues":                 "Issues: read",
	"list events of an issue":     "Issues: read",
	"list edits of an issue":      "Issues: read",
	"write a comment":             "Issues: write",
	"edit a comment":              "Issues: write",
	"remove a comment":            "Issues: write",
	"label an issue":              "Issues: write",
	"take a label off an issue":   "Issues: write",
	"react to a comment":          "Issues: write",
	"list checks":                 "Checks: read",
	"list remarks of a check":     "Checks: read",
	"write check run":             "Checks: write",
	"list runs of GitHub Actions": "Actions: read",
	"list jobs of GitHub Actions": "Actions: read",
	"find the log of a job":       "Actions: read",
	"list commit statuses":        "Commit statuses: read",
	"read the log of a job":       "", // on another host, open to anybody who knows the address
}

// permissionHint is the way out for a step that GitHub forbids. names is the permission that GitHub itself names.
func (s *session) permissionHint(step, names, where string) string {
	hint := "see whether the account of the token may do this on " + where
	switch p := needed[step]; {
	case p != "" && s.app != nil:
		hint = "give the app the permission \"" + p + "\", and accept it where the app is installed; `longshift doctor` names the pages"
	case p != "":
		hint = "give the token the permission \"" + p + "\" on " + where + " (classic token: scope repo), and its account access"
	}
	if names != "" {
		hint += "; GitHub names " + names
	}
	return hint
}

// refusals remembers what tokens may not read, so that not every snapshot asks in vain.
type refusals struct {
	mu     sync.Mutex
	until  map[resource]time.Time
	logged map[string]bool // missing permissions that were logged
}

// resource is one thing that a token may not read, in one repository: of a public one the same token may read more.
type resource struct{ who, repository, what string }

func (s *session) resource(what string) resource {
	return resource{s.who, strings.ToLower(s.owner + "/" + s.name), what}
}

// mayTry tells whether the permission was not refused within the last hour.
func (s *session) mayTry(what string) bool {
	s.refusals.mu.Lock()
	defer s.refusals.mu.Unlock()
	return !s.now().Before(s.refusals.until[s.resource(what)])
}

// denied tells whether err is a refusal, and remembers it. GitHub answers 404 instead of 403 where it does not want to say more.
func (s *session) denied(what string, err error) bool {
	if !answered(err, http.StatusForbidden, http.StatusNotFound) {
		return false
	}
	s.refusals.mu.Lock()
	defer s.refusals.mu.Unlock()
	now := s.now()
	maps.DeleteFunc(s.refusals.until, func(_ resource, until time.Time) bool { return !now.Before(until) })
	if s.refusals.until == nil {
		s.refusals.until = map[resource]time.Time{}
	}
	s.refusals.until[s.resource(what)] = now.Add(refusalHolds)
	return true
}

// lacks warns of a missing permission, which is logged once.
func (s *session) lacks(what, text string) {
	s.warnings = append(s.warnings, text)
	s.refusals.mu.Lock()
	told := s.refusals.logged[what]
	if s.refusals.logged == nil {
		s.refusals.logged = map[string]bool{}
	}
	s.refusals.logged[what] = true
	s.refusals.mu.Unlock()
	if !told {
		s.log.Warn("GitHub: "+text, "repository", s.owner+"/"+s.name)
	}
}

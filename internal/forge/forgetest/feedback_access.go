package forgetest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// SetPermission says what somebody may do: admin, write, read or none; "missing" is an account that GitHub does not know. Without
// it, the owner and the collaborators of a repository may write, and all others may read.
func (g *GitHub) SetPermission(repo, login, level string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.feedbackOn(repo).may[strings.ToLower(login)] = level
}

// SetBot makes an account a bot whose name does not tell.
func (g *GitHub) SetBot(login string) {
	g.set(func() {
		if g.people.bots == nil {
			g.people.bots = map[string]bool{}
		}
		g.people.bots[strings.ToLower(login)] = true
	})
}

// SetApp makes the token one of an app, which has no account.
func (g *GitHub) SetApp() { g.set(func() { g.people.app = true }) }

// Withhold takes permissions from the token, of "checks", "actions" and "statuses", and gives it all others.
func (g *GitHub) Withhold(permissions ...string) { g.set(func() { g.people.lack = permissions }) }

// withheld refuses a call for which the token lacks the permission.
func (g *GitHub) withheld(path string) (answer, bool) {
	needs := ""
	switch {
	case strings.Contains(path, "/check-runs"):
		needs = "checks"
	case strings.Contains(path, "/actions/"):
		needs = "actions"
	case strings.HasSuffix(path, "/status"):
		needs = "statuses"
	}
	if needs == "" || !slices.Contains(g.people.lack, needs) {
		return answer{}, false
	}
	a := refuse(http.StatusForbidden, "Resource not accessible by personal access token")
	a.header = http.Header{"X-Accepted-Github-Permissions": {needs + "=read"}}
	return a, true
}

// accountType is what an account is; g.mu must be held.
func (g *GitHub) accountType(login string) string {
	if g.people.bots[strings.ToLower(login)] || strings.HasSuffix(login, "[bot]") {
		return "Bot"
	}
	return "User"
}

// account is the account of an author, nil for one that is gone.
func (g *GitHub) account(login string) any {
	if login == "" {
		return nil
	}
	return g.userBody(login)
}

func (g *GitHub) me() answer {
	if g.people.app {
		return refuse(http.StatusForbidden, "Resource not accessible by integration")
	}
	return answer{status: http.StatusOK, body: g.object("private-user", map[string]any{
		"login": g.user, "type": g.accountType(g.user), "user_view_type": "private", "html_url": g.URL + "/" + g.user,
		"email": nil, "url": g.URL + "/users/" + g.user,
	})}
}

func (g *GitHub) permission(repo *Repository, login string) answer {
	if repo.ReadOnly {
		return refuse(http.StatusForbidden, "Must have push access to view collaborator permission.")
	}
	level, ok := repo.feedback().may[strings.ToLower(login)]
	switch {
	case level == "missing":
		return refuse(http.StatusNotFound, login+" is not a user")
	case !ok && (has(repo.Collaborators, login) || strings.EqualFold(login, repo.owner())):
		level = "write"
	case !ok:
		level = "read"
	}
	push := level == "admin" || level == "write"
	return answer{status: http.StatusOK, body: map[string]any{
		"permission": level, "role_name": level,
		"user": g.object("nullable-collaborator", map[string]any{
			"login": login, "type": g.accountType(login), "role_name": level, "html_url": g.URL + "/" + login,
			"permissions": map[string]any{"pull": level != "none", "triage": push, "push": push, "maintain": false, "admin": level == "admin"},
		}),
	}}
}

func (g *GitHub) branch(repo *Repository, name string) answer {
	commit := repo.commit(name)
	if repo.unfilled > 0 {
		repo.unfilled--
		commit = ""
	}
	if commit == "" {
		return refuse(http.StatusNotFound, "Branch not found")
	}
	return answer{status: http.StatusOK, body: g.object("branch-with-protection", map[string]any{
		"name": name, "commit": g.object("commit", map[string]any{"sha": commit}), "protected": false,
		"_links": map[string]any{
			"html": fmt.Sprintf("%s/%s/tree/%s", g.URL, repo.Name, name),
			"self": fmt.Sprintf("%s/repos/%s/branches/%s", g.URL, repo.Name, name),
		},
	})}
}

// gone answers for a number that nothing is at any more, or never was.
func (r *Repository) gone(number int) (answer, bool) {
	i := r.issue(number)
	switch {
	case i != nil && i.gone:
		return refuse(http.StatusGone, "This issue was deleted"), true
	case i == nil && r.pull(number) == nil:
		return refuse(http.StatusNotFound, "Not Found"), true
	}
	return answer{}, false
}

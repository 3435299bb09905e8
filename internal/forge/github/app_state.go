package github

import (
	"context"
	"net/url"
	"time"

	"github.com/longshift/longshift/internal/forge"
)

// appNeeds are the permissions of an app. Without the last ones tasks work, but see or show less.
var appNeeds = []struct {
	name, level, words string
	needed             bool
}{
	{"contents", "write", "Contents: write", true},
	{"pull_requests", "write", "Pull requests: write", true},
	{"issues", "write", "Issues: write", true},
	{"checks", "write", "Checks: write", false},
	{"actions", "read", "Actions: read", false},
	{"statuses", "read", "Commit statuses: read", false},
}

// lacksOf returns the needs that are not met.
func lacksOf(where, page string, given map[string]string) (l forge.Lack, any bool) {
	l = forge.Lack{Where: where, Page: page}
	for _, n := range appNeeds {
		if has := given[n.name]; has != n.level && has != "write" && has != "admin" {
			l.Permissions = append(l.Permissions, n.words)
			l.Needed = l.Needed || n.needed
		}
	}
	return l, len(l.Permissions) > 0
}

// AppState asks how the app stands, and the first hundred of its installations.
func (f *Forge) AppState(ctx context.Context) (forge.AppState, error) {
	a, err := f.app.itself(ctx)
	if err != nil {
		return forge.AppState{}, err
	}
	st := forge.AppState{Name: botLogin(a.Slug), Install: a.Page + "/installations/new"}
	if l, any := lacksOf("the app", settingsPage(a), a.Permissions); any {
		st.Missing = append(st.Missing, l)
	}
	s, err := f.app.asApp(ctx)
	if err != nil {
		return st, err
	}
	all, err := get[[]struct {
		ID      int64  `json:"id"`
		Page    string `json:"html_url"`
		Account struct {
			Login string `json:"login"`
		} `json:"account"`
		Permissions map[string]string `json:"permissions"`
		Suspended   *time.Time        `json:"suspended_at"`
	}](ctx, s, "list installations", "app/installations?per_page=100", "")
	if err != nil {
		return st, err
	}
	for _, i := range all.value {
		if only := f.app.Installation; only != 0 && only != i.ID {
			continue
		}
		st.For = append(st.For, i.Account.Login)
		if i.Suspended != nil {
			st.Missing = append(st.Missing, forge.Lack{Where: i.Account.Login, Needed: true, Page: i.Page,
				Permissions: []string{"any, because it is suspended"}})
		} else if l, any := lacksOf(i.Account.Login, i.Page, i.Permissions); any {
			st.Missing = append(st.Missing, l)
		}
	}
	return st, nil
}

// settingsPage is where the owner of an app changes its permissions.
func settingsPage(a appAnswer) string {
	u, err := url.Parse(a.Page)
	if err != nil {
		return a.Page
	}
	path := "/settings/apps/" + a.Slug + "/permissions"
	if a.Owner.Type == "Organization" {
		path = "/organizations/" + a.Owner.Login + path
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}).String()
}

package github

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

const (
	mostPages = 1000 // of 100 issues
	maxLabel  = 50   // characters; GitHub's own limit
)

// tracker reads and marks issues, and also pull requests as far as GitHub treats them like issues.
type tracker struct {
	*connection
	memory memory
}

func (t *tracker) Issues(ctx context.Context, r task.Repository, q forge.IssueQuery, visit func(forge.ListedIssue) bool) error {
	s, err := t.visit(ctx, r)
	if err != nil {
		return err
	}
	if q, err = t.settle(ctx, s, q); err != nil {
		return err
	}
	filter := url.Values{"state": {"open"}, "sort": {"created"}, "direction": {"asc"}, "per_page": {strconv.Itoa(fullPage)}}
	if q.Label != "" {
		filter.Set("labels", q.Label)
	}
	if q.Assignee != "" {
		filter.Set("assignee", q.Assignee)
	}
	keep := func(page []*gh.Issue) ([]forge.ListedIssue, bool) {
		return listed(page, q.Without), len(page) >= fullPage
	}
	path, seen := s.path("issues"), map[string]bool{}
	for range mostPages {
		address := path + "?" + filter.Encode()
		if seen[address] {
			return fault.New(fault.Infra, "GitHub: list issues: the pages of %s/%s lead in a circle", s.owner, s.name)
		}
		seen[address] = true
		p, err := remembered(ctx, &t.memory, s, "list issues", address, q.Without, keep)
		if err != nil {
			return err
		}
		for _, i := range p.value {
			if !visit(i) {
				return nil
			}
		}
		if len(p.next) == 0 {
			return nil
		}
		for name, value := range p.next {
			filter[name] = value
		}
	}
	return fault.New(fault.Input, "GitHub: %s/%s has more than %d open issues to go through", s.owner, s.name, mostPages*fullPage).
		WithHint("name a label that fewer issues have")
}

// settle checks a query, and replaces the assignee "me" with the name of the account.
func (t *tracker) settle(ctx context.Context, s *session, q forge.IssueQuery) (forge.IssueQuery, error) {
	for _, l := range []string{q.Label, q.Without} {
		if err := checkLabel(l); l != "" && err != nil {
			return q, err
		}
	}
	if q.Assignee == "me" {
		login := func(u *gh.User) (string, bool) { return u.GetLogin(), false }
		p, err := remembered(ctx, &t.memory, s, "ask whose token it is", "user", "", login)
		switch {
		case answered(err, http.StatusForbidden), err == nil && p.value == "":
			return q, fault.New(fault.Input, "GitHub: assignee \"me\": the token is that of an app, which no issue can be assigned to").
				WithHint("name a label, or give the token of an account")
		case err != nil:
			return q, err
		}
		q.Assignee = p.value
	}
	if q.Assignee != "" && !loginForm.MatchString(q.Assignee) {
		return q, fault.New(fault.Input, "GitHub: assignee %q is not a user name", short(q.Assignee)).WithHint("give a user name, or \"me\"")
	}
	return q, nil
}

// checkLabel refuses what can't be one label: GitHub filters by names with commas in between.
func checkLabel(l string) error {
	if l == "" || strings.TrimSpace(l) != l || strings.ContainsAny(l, ",\x00\r\n") || len([]rune(l)) > maxLabel {
		return fault.New(fault.Input, "GitHub: %q is not a label", short(l)).WithHint("give one of up to %d characters, without commas", maxLabel)
	}
	return nil
}

// listed returns the little that is kept of each issue of a page, because there are many pages.
func listed(page []*gh.Issue, without string) []forge.ListedIssue {
	var all []forge.ListedIssue
	for _, i := range page {
		w := requester{label: without}
		if i.IsPullRequest() || i.GetNumber() <= 0 || w.hasLabel(i) {
			continue
		}
		title, body := forge.IssueText(i.GetTitle(), i.GetBody())
		all = append(all, forge.ListedIssue{
			Number: i.GetNumber(), Title: strings.Clone(title), URL: pageURL(i.GetHTMLURL()), Sum: forge.IssueSum(title, body),
			Created: i.GetCreatedAt().UTC(), Updated: i.GetUpdatedAt().UTC(),
		})
	}
	return all
}

// nextPage returns the parameters for the next page of a list: a number or a cursor. Nothing else of the address in the answer is used,
// so that it can't lead elsewhere.
func nextPage(h http.Header) url.Values {
	for link := range strings.SplitSeq(h.Get("Link"), ",") {
		address, rest, ok := strings.Cut(strings.TrimSpace(link), ">")
		if !ok || !strings.Contains(rest, `rel="next"`) {
			continue
		}
		u, err := url.Parse(strings.TrimPrefix(address, "<"))
		if err != nil {
			return nil
		}
		next := url.Values{}
		for _, name := range []string{"page", "after", "cursor"} {
			if v := u.Query().Get(name); v != "" && len(v) <= maxURL {
				next.Set(name, v)
			}
		}
		return next
	}
	return nil
}

package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// complete brings our open pull request up to the request: text, labels, reviewers. Only what is missing is written.
func (s *session) complete(ctx context.Context, r forge.Request, p *gh.PullRequest, found bool) error {
	if base := p.GetBase().GetRef(); base != r.Base {
		s.warn("#%d goes into %q, not into %q: somebody has changed its base", p.GetNumber(), base, r.Base)
	}
	if err := s.retext(ctx, r, p); err != nil {
		return err
	}
	if err := s.label(ctx, r, p); err != nil {
		return err
	}
	return s.askReviewers(ctx, r, p, found)
}

// retext brings title and body up to date.
func (s *session) retext(ctx context.Context, r forge.Request, p *gh.PullRequest) error {
	if p.GetTitle() == r.Title && unixLines(p.GetBody()) == unixLines(r.Body) {
		return nil
	}
	return s.repeat(ctx, "update pull request", func(c *gh.Client) (*gh.Response, error) {
		_, resp, err := c.PullRequests.Edit(ctx, s.owner, s.name, p.GetNumber(), &gh.PullRequest{Title: &r.Title, Body: &r.Body})
		return resp, err
	})
}

// unixLines undoes what editing a body in the browser does to it.
func unixLines(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// label adds the labels that are missing. GitHub makes unknown ones. One that it refuses is a warning.
func (s *session) label(ctx context.Context, r forge.Request, p *gh.PullRequest) error {
	have := map[string]bool{}
	for _, l := range p.Labels {
		have[strings.ToLower(l.GetName())] = true
	}
	missing := lacking(r.Labels, have)
	if len(missing) == 0 {
		return nil
	}
	// The library sends a bare list, which GitHub's own description of this call no longer knows.
	body := struct {
		Labels []string `json:"labels"`
	}{missing}
	err := s.repeat(ctx, "add labels", func(c *gh.Client) (*gh.Response, error) {
		req, err := c.NewRequest("POST", s.path("issues/%d/labels", p.GetNumber()), body)
		if err != nil {
			return nil, err
		}
		return c.Do(ctx, req, nil)
	})
	if refused(err) {
		s.warn("#%d: labels %s were refused: %v", p.GetNumber(), strings.Join(missing, ", "), err)
		return nil
	}
	return err
}

// lacking gives the wanted names that are not there yet, each once, and notes them as there.
func lacking(want []string, have map[string]bool) []string {
	var missing []string
	for _, w := range want {
		w = strings.TrimSpace(w)
		if key := strings.ToLower(w); w != "" && !have[key] {
			have[key] = true
			missing = append(missing, w)
		}
	}
	return missing
}

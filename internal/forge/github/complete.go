package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v66/github"
)

// complete updates text, labels and reviewers of the pull request to the request. It writes only what is missing.
func (p *publication) complete(ctx context.Context, pull *gh.PullRequest, found bool) error {
	if base := pull.GetBase().GetRef(); base != p.request.Base {
		p.warn("#%d goes into %q, not into %q: somebody has changed its base", pull.GetNumber(), base, p.request.Base)
	}
	if err := p.retext(ctx, pull); err != nil {
		return err
	}
	if err := p.label(ctx, pull); err != nil {
		return err
	}
	r := reviewers{p.session, pull}
	return r.ask(ctx, p.request.Reviewers, found)
}

func (p *publication) retext(ctx context.Context, pull *gh.PullRequest) error {
	title, body := p.request.Title, p.request.Body
	if pull.GetTitle() == title && unixLines(pull.GetBody()) == unixLines(body) {
		return nil
	}
	return p.repeat(ctx, "update pull request", func(c *gh.Client) (*gh.Response, error) {
		_, resp, err := c.PullRequests.Edit(ctx, p.owner, p.name, pull.GetNumber(), &gh.PullRequest{Title: &title, Body: &body})
		return resp, err
	})
}

// unixLines reverts the line ends and outer spaces that editing in a browser changes.
func unixLines(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// label adds the missing labels. GitHub creates unknown ones. A refusal is a warning.
func (p *publication) label(ctx context.Context, pull *gh.PullRequest) error {
	have := map[string]bool{}
	for _, l := range pull.Labels {
		have[strings.ToLower(l.GetName())] = true
	}
	missing := lacking(p.request.Labels, have)
	if len(missing) == 0 {
		return nil
	}
	// The library sends a bare list, which GitHub's API description no longer allows.
	body := struct {
		Labels []string `json:"labels"`
	}{missing}
	err := p.repeat(ctx, "add labels", func(c *gh.Client) (*gh.Response, error) {
		req, err := c.NewRequest("POST", p.path("issues/%d/labels", pull.GetNumber()), body)
		if err != nil {
			return nil, err
		}
		return c.Do(ctx, req, nil)
	})
	if refused(err) {
		p.warn("#%d: labels %s were refused: %v", pull.GetNumber(), strings.Join(missing, ", "), err)
		return nil
	}
	return err
}

// lacking returns the wanted names that are not in have, each once, and adds them to have.
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

package github

import (
	"context"
	"net/http"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

var _ forge.CheckRunner = (*Forge)(nil)

// kindCheckRuns is what an app may be refused to write.
const kindCheckRuns = "check runs"

// WritesCheckRuns implements forge.CheckRunner: GitHub takes them from apps alone.
func (f *Forge) WritesCheckRuns() bool { return f.app != nil }

// WriteCheckRun implements forge.CheckRunner. It looks for the check run before each attempt: the one before may have succeeded without an
// answer.
func (f *Forge) WriteCheckRun(ctx context.Context, r task.Repository, c forge.CheckRun) error {
	if f.app == nil {
		return fault.New(fault.Denied, "GitHub: a token can't write check runs").WithHint("set LONGSHIFT_GITHUB_APP_ID to work as an app")
	}
	s, err := f.visit(ctx, r)
	if err != nil {
		return err
	}
	if !s.mayTry(kindCheckRuns) {
		return fault.New(fault.Denied, "GitHub: the app may not write check runs in %s/%s", s.owner, s.name).
			WithHint("%s", s.permissionHint("write check run", "", s.owner+"/"+s.name))
	}
	for {
		do, err := s.nextCheckRun(ctx, c)
		if err != nil || do == nil {
			return err
		}
		if err := clock.Late(ctx); err != nil { // another worker has written it, or will
			return s.fault("write check run", err)
		}
		if err = s.once(ctx, do); err == nil {
			return nil
		}
		s.denied(kindCheckRuns, err)
		if again, err := s.again(ctx, "write check run", err); !again {
			return err
		}
	}
}

// nextCheckRun returns the request that makes the check run say what it is to say, nil when there is none to make.
func (s *session) nextCheckRun(ctx context.Context, c forge.CheckRun) (do func(*gh.Client) (*gh.Response, error), err error) {
	old, err := s.checkRunOf(ctx, c)
	if err != nil {
		return nil, err
	}
	status, conclusion := "completed", (*string)(nil)
	if c.Conclusion == "" {
		status = "in_progress"
	} else {
		conclusion = gh.String(string(c.Conclusion))
	}
	page := (*string)(nil)
	if c.URL != "" {
		page = &c.URL
	}
	output := &gh.CheckRunOutput{Title: &c.Title, Summary: &c.Summary}
	if c.Text != "" {
		output.Text = &c.Text
	}
	switch {
	case old == nil:
		return func(client *gh.Client) (*gh.Response, error) {
			_, resp, err := client.Checks.CreateCheckRun(ctx, s.owner, s.name, gh.CreateCheckRunOptions{Name: forge.CheckRunName,
				HeadSHA: c.Commit, ExternalID: &c.Key, DetailsURL: page, Status: &status, Conclusion: conclusion, Output: output})
			return resp, err
		}, nil
	case old.GetStatus() == "completed" && c.Conclusion == "":
		return nil, nil
	}
	return func(client *gh.Client) (*gh.Response, error) {
		_, resp, err := client.Checks.UpdateCheckRun(ctx, s.owner, s.name, old.GetID(), gh.UpdateCheckRunOptions{Name: forge.CheckRunName,
			ExternalID: &c.Key, DetailsURL: page, Status: &status, Conclusion: conclusion, Output: output})
		return resp, err
	}, nil
}

// ownCheckRun tells whether a check run was written by this app, for a task. With a token there is none: a workflow of the repository may
// write one with our name and key.
func (s *session) ownCheckRun(ctx context.Context, r *gh.CheckRun) (bool, error) {
	if s.app == nil || !forge.OwnCheckRun(r.GetName(), r.GetExternalID()) {
		return false, nil
	}
	me, err := s.app.login(ctx)
	return err == nil && botLogin(r.GetApp().GetSlug()) == me, err
}

// checkRunOf finds the check run by its key, among the first hundred of its name on the commit. It is nil when there is none.
func (s *session) checkRunOf(ctx context.Context, c forge.CheckRun) (found *gh.CheckRun, err error) {
	all := "all"
	var list *gh.ListCheckRunsResults
	err = s.repeat(ctx, "list checks", func(client *gh.Client) (resp *gh.Response, err error) {
		list, resp, err = client.Checks.ListCheckRunsForRef(ctx, s.owner, s.name, c.Commit, &gh.ListCheckRunsOptions{
			CheckName: gh.String(forge.CheckRunName), Filter: &all, ListOptions: gh.ListOptions{PerPage: 100}})
		return resp, err
	})
	if answered(err, http.StatusForbidden) {
		s.denied(kindCheckRuns, err)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range list.CheckRuns {
		if own, err := s.ownCheckRun(ctx, r); err != nil || own && r.GetExternalID() == c.Key {
			return r, err
		}
	}
	return nil, nil
}

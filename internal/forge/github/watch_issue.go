package github

import (
	"context"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// Wanted implements forge.Watcher. It returns the person who set the current label or assignment; the author of the issue does not
// matter. Pull requests are left out.
func (t *tracker) Wanted(ctx context.Context, r task.Repository, number int, label string) (task.Issue, string, bool, error) {
	i, err := t.visitIssue(ctx, r, number)
	if err != nil {
		return task.Issue{}, "", false, err
	}
	now, err := i.read(ctx)
	if err != nil || now == nil || now.IsPullRequest() || now.GetState() != "open" {
		return task.Issue{}, "", false, err
	}
	me, err := i.meIfAny(ctx)
	if err != nil {
		return task.Issue{}, "", false, err
	}
	w := requester{label: label, me: me}
	if !w.holds(now) {
		return task.Issue{}, "", false, nil
	}
	if err := i.events(ctx, w.read); err != nil {
		return task.Issue{}, "", false, err
	}
	by, _, _ := w.last(now)
	if by.GetLogin() == "" {
		return task.Issue{}, "", false, nil
	}
	return asIssue(now), by.GetLogin(), isBot(by), nil
}

// Issue implements forge.Talker, for any issue.
func (t *tracker) Issue(ctx context.Context, r task.Repository, number int) (task.Issue, bool, error) {
	i, err := t.visitIssue(ctx, r, number)
	if err != nil {
		return task.Issue{}, false, err
	}
	now, err := i.present(ctx)
	if err != nil {
		return task.Issue{}, false, err
	}
	return asIssue(now), now.GetState() == "open", nil
}

// asIssue returns an issue as a model may read it.
func asIssue(i *gh.Issue) task.Issue {
	title, body := forge.IssueText(i.GetTitle(), i.GetBody())
	return task.Issue{Forge: task.GitHub, Number: i.GetNumber(), Title: title, Body: body, URL: pageURL(i.GetHTMLURL())}
}

// skipped drops the error for an issue that was deleted since it was listed, or that has too many events: no issue may keep the others from being
// read.
func (i issue) skipped(err error) error {
	if kind := fault.KindOf(err); kind != fault.NotFound && kind != fault.Input {
		return err
	}
	i.log.Warn("GitHub: nobody can tell who has asked for work on an issue: it is skipped", "repository", i.owner+"/"+i.name, "issue", i.number,
		"error", err)
	return nil
}

// assigneesOf returns the accounts that an issue is assigned to.
func assigneesOf(i *gh.Issue) (all []string) {
	for _, u := range i.Assignees {
		all = append(all, u.GetLogin())
	}
	return all
}

// sumOf returns IssueSum of an issue, "" when the title is not known.
func sumOf(i *gh.Issue) string {
	if i.GetTitle() == "" {
		return ""
	}
	return forge.IssueSum(forge.IssueText(i.GetTitle(), i.GetBody()))
}

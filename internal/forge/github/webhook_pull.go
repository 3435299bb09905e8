package github

import (
	"slices"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// woken adds the event that something happened at a pull request. What it was is read from GitHub later.
func (d *delivery) woken(number int, at gh.Timestamp) {
	if number <= 0 {
		return
	}
	d.add(forge.Event{
		Kind: forge.PullChanged, ID: eventID("pull", d.owner, d.name, number, d.digest), Number: number, Pull: true, At: at.Time,
		Ended: d.event == "pull_request" && d.action == "closed",
	})
}

// wokenByPeople is woken, unless Longshift itself has acted: its own answers would otherwise wake it for ever.
func (d *delivery) wokenByPeople(number int, at gh.Timestamp, authors ...*gh.User) error {
	for _, u := range append(authors, d.sender) {
		if own, err := d.ours(u); err != nil || own {
			return err
		}
	}
	d.woken(number, at)
	return nil
}

func onPull(d *delivery, payload any) error {
	p := payload.(*gh.PullRequestEvent)
	number, at := p.GetPullRequest().GetNumber(), p.GetPullRequest().GetUpdatedAt()
	switch d.action {
	case "closed", "reopened", "converted_to_draft", "ready_for_review": // a person may do these with the account of the token
		d.woken(number, at)
	case "edited":
		if p.GetChanges().GetBase() != nil { // Longshift never changes the base
			d.woken(number, at)
			return nil
		}
		return d.wokenByPeople(number, at)
	case "synchronize":
		return d.wokenByPeople(number, at)
	}
	return nil
}

func onReview(d *delivery, payload any) error {
	p := payload.(*gh.PullRequestReviewEvent)
	if !slices.Contains([]string{"submitted", "edited", "dismissed"}, d.action) {
		return nil
	}
	return d.wokenByPeople(p.GetPullRequest().GetNumber(), p.GetPullRequest().GetUpdatedAt())
}

func onReviewComment(d *delivery, payload any) error {
	p := payload.(*gh.PullRequestReviewCommentEvent)
	return d.wokenByPeople(p.GetPullRequest().GetNumber(), p.GetComment().GetUpdatedAt())
}

func onThread(d *delivery, payload any) error {
	p := payload.(*gh.PullRequestReviewThreadEvent)
	return d.wokenByPeople(p.GetPullRequest().GetNumber(), p.GetPullRequest().GetUpdatedAt())
}

func onCheckRun(d *delivery, payload any) error {
	p := payload.(*gh.CheckRunEvent)
	run := p.GetCheckRun()
	if run == nil || d.action != "completed" {
		return nil
	}
	if forge.OwnCheckRun(run.GetName(), run.GetExternalID()) {
		if own, err := d.ourApp(run.GetApp()); err != nil || own {
			return err
		}
	}
	d.checked(run.PullRequests, p.GetRepo().GetID(), run.GetCompletedAt())
	return nil
}

func onCheckSuite(d *delivery, payload any) error {
	p := payload.(*gh.CheckSuiteEvent)
	suite := p.GetCheckSuite()
	if suite == nil || d.action != "completed" {
		return nil
	}
	// GitHub keeps a suite for each app: ours holds our own check runs
	if own, err := d.ourApp(suite.GetApp()); err != nil || own {
		return err
	}
	d.checked(suite.PullRequests, p.GetRepo().GetID(), suite.GetUpdatedAt())
	return nil
}

// checked wakes the pull requests of a check, whoever has caused it. GitHub's list can contain pull requests of other repositories with
// the same branch, and is empty for branches of forks.
func (d *delivery) checked(pulls []*gh.PullRequest, repository int64, at gh.Timestamp) {
	for _, p := range pulls[:min(len(pulls), 20)] {
		if id := p.GetBase().GetRepo().GetID(); id == 0 || id == repository {
			d.woken(p.GetNumber(), at)
		}
	}
}

// onStatus adds an event for each branch of a commit with a new status. GitHub names no pull request, but the receiver knows the
// branches of its own.
func onStatus(d *delivery, payload any) error {
	p := payload.(*gh.StatusEvent)
	d.action = p.GetState()
	if d.action == "pending" {
		return nil
	}
	for _, b := range p.Branches[:min(len(p.Branches), 20)] {
		if b.GetName() == "" {
			continue
		}
		d.add(forge.Event{
			Kind: forge.PullChanged, ID: eventID("status", d.owner, d.name, b.GetName(), d.digest), Branch: b.GetName(), At: p.GetUpdatedAt().Time,
		})
	}
	return nil
}

// onPush adds an event for new commits on a branch, but not for its deletion.
func onPush(d *delivery, payload any) error {
	p := payload.(*gh.PushEvent)
	branch, ok := strings.CutPrefix(p.GetRef(), "refs/heads/")
	if !ok || branch == "" || p.GetDeleted() {
		return nil
	}
	d.add(forge.Event{
		Kind: forge.BaseMoved, ID: eventID("push", d.owner, d.name, branch, d.digest), Branch: branch, At: p.GetRepo().GetPushedAt().Time,
	})
	return nil
}

// ourApp tells whether this is the app that Longshift works as.
func (d *delivery) ourApp(a *gh.App) (bool, error) {
	return d.ours(&gh.User{Login: gh.String(botLogin(a.GetSlug()))})
}

package github

import (
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// onIssue adds an event for an issue that got the label or was assigned, also when it was opened with them.
func onIssue(d *delivery, payload any) error {
	p := payload.(*gh.IssuesEvent)
	i := p.GetIssue()
	if i.GetNumber() <= 0 || i.IsPullRequest() || i.GetState() == "closed" {
		return nil
	}
	what, by, err := d.wantedBy(p)
	if err != nil || by == "" {
		return err
	}
	if own, err := d.ours(d.sender); err != nil || own {
		return err
	}
	me, err := d.account()
	if err != nil {
		return err
	}
	at, w := i.GetUpdatedAt(), requester{label: d.Label, me: me}
	d.add(forge.Event{
		Labelled: what == "labeled" || w.hasLabel(i), Assigned: what == "assigned" || w.hasUs(i), Assignees: assigneesOf(i),
		Kind: forge.IssueWanted, ID: wantedEventID(d.owner, d.name, i.GetNumber(), what, by, at.Time), Number: i.GetNumber(), At: at.Time,
		Sum: sumOf(i),
	})
	return nil
}

// wantedBy returns what requests work: labeled and the label, or assigned and the account; or nothing.
func (d *delivery) wantedBy(p *gh.IssuesEvent) (what, by string, err error) {
	labels, assignees := []*gh.Label{p.GetLabel()}, []*gh.User{p.GetAssignee()}
	switch d.action {
	case "labeled":
		assignees = nil
	case "assigned":
		labels = nil
	case "opened":
		labels, assignees = p.GetIssue().Labels, p.GetIssue().Assignees
	default:
		return "", "", nil
	}
	for _, l := range labels {
		if strings.EqualFold(l.GetName(), d.Label) {
			return "labeled", d.Label, nil
		}
	}
	for _, u := range assignees {
		if own, err := d.ours(u); err != nil || own {
			return "assigned", u.GetLogin(), err
		}
	}
	return "", "", nil
}

// onComment adds an event for a command, and wakes the pull request that was commented on.
func onComment(d *delivery, payload any) error {
	p := payload.(*gh.IssueCommentEvent)
	i, c := p.GetIssue(), p.GetComment()
	if i.GetNumber() <= 0 || c.GetID() <= 0 {
		return nil
	}
	text, command := "", false
	if d.action == "created" {
		text, command = commandIn(c.GetBody())
	}
	if !command && !i.IsPullRequest() {
		return nil
	}
	for _, u := range []*gh.User{d.sender, c.GetUser()} {
		if own, err := d.ours(u); err != nil || own {
			return err
		}
	}
	if command {
		sum := ""
		if forge.StartsTask(text) && !i.IsPullRequest() {
			sum = sumOf(i)
		}
		d.add(forge.Event{
			Sum: sum, Kind: forge.Commanded, ID: commentEventID(c.GetID()), Number: i.GetNumber(), Pull: i.IsPullRequest(), Comment: c.GetID(),
			Text: text, At: c.GetCreatedAt().Time, Actor: c.GetUser().GetLogin(), Bot: isBot(c.GetUser()) || isBot(d.sender),
		})
	}
	if i.IsPullRequest() {
		d.woken(i.GetNumber(), c.GetUpdatedAt())
	}
	return nil
}

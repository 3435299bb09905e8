package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// PollInput asks for the state of a pull request.
type PollInput struct {
	Repository task.Repository `json:"repository"`
	Number     int             `json:"number"`
	Stamp      string          `json:"stamp,omitempty"` // of the last poll; empty reads everything
	Tried      []string        `json:"tried,omitempty"` // keys of the checks of which the caller wants to know that they have passed
}

// PollPullRequest reads a pull request that Longshift opened, with comments and the results of checks.
func (p *PullRequests) PollPullRequest(ctx context.Context, in PollInput) (forge.Snapshot, error) {
	f, err := p.follower(ctx, in.Repository)
	if err != nil {
		return forge.Snapshot{}, err
	}
	l, err := f.Snapshot(ctx, in.Repository, in.Number, in.Stamp)
	if err != nil {
		return forge.Snapshot{}, fmt.Errorf("look at pull request #%d: %w", in.Number, err)
	}
	l.PassedKeys = slices.DeleteFunc(l.PassedKeys, func(key string) bool { return !slices.Contains(in.Tried, key) })
	for i := range l.Items { // logs of checks may hold what a build has printed, and URLs what a service has put there
		one := &l.Items[i]
		for _, text := range []*string{&one.Text, &one.Log, &one.Hunk, &one.Path, &one.URL} {
			*text = p.redact.String(*text)
		}
	}
	return l, nil
}

// AnswerInput holds a reply to each item.
type AnswerInput struct {
	Repository task.Repository `json:"repository"`
	Number     int             `json:"number"`
	Replies    []forge.Reply   `json:"replies,omitempty"`
}

// AnswerPullRequest replies to comments and asks for another review.
func (p *PullRequests) AnswerPullRequest(ctx context.Context, in AnswerInput) error {
	f, err := p.follower(ctx, in.Repository)
	if err != nil {
		return err
	}
	for i := range in.Replies {
		in.Replies[i].Text = p.redact.String(in.Replies[i].Text)
	}
	if err := f.Answer(ctx, in.Repository, in.Number, in.Replies); err != nil {
		return fmt.Errorf("answer at pull request #%d: %w", in.Number, err)
	}
	return nil
}

func (p *PullRequests) follower(ctx context.Context, r task.Repository) (forge.Follower, error) {
	f, err := p.forge(ctx, r)
	if err != nil {
		return nil, err
	}
	if follower, ok := f.(forge.Follower); ok {
		return follower, nil
	}
	return nil, fault.New(fault.Input, "pull requests of %s can't be looked after", r.Text)
}

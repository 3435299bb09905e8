package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// maxKey is the longest key of an item, and of an answer, in bytes: one comment must have room for the marks of many.
const maxKey = 500

// replies writes the answers of one call of Answer.
type replies struct {
	*snapshot                 // reads the pull request
	existing  map[string]bool // keys of the answers that exist
	lines     []*gh.PullRequestComment
}

// Answer implements forge.Follower. It looks for the hidden marks before it writes, and again whenever an answer may have been written.
// All checks share one comment. When an item of somebody who requested changes was answered, another review is requested of them.
func (f *Forge) Answer(ctx context.Context, r task.Repository, number int, answers []forge.Reply) error {
	if err := checkReplies(number, answers); err != nil {
		return err
	}
	if len(answers) == 0 {
		return nil
	}
	s, err := f.visit(ctx, r)
	if err != nil {
		return err
	}
	a := &replies{snapshot: &snapshot{session: s, repo: r, number: number, have: map[string]page{}}}
	p, err := a.pull(ctx)
	if err != nil {
		return err
	}
	if a.me, err = a.meIfAny(ctx); err != nil {
		return err
	}
	if err := a.load(ctx); err != nil {
		return err
	}
	var checks []forge.Reply
	for _, one := range answers {
		if one.Item.Kind == forge.CheckItem {
			checks = append(checks, one)
			continue
		}
		if err := a.answer(ctx, one); err != nil {
			return err
		}
	}
	if err := a.answerChecks(ctx, checks); err != nil {
		return err
	}
	return a.askAgain(ctx, p, answers)
}

// checkReplies refuses answers that could not be found again by their marks.
func checkReplies(number int, answers []forge.Reply) error {
	if number <= 0 {
		return fault.New(fault.Input, "pull request number %d is none", number)
	}
	for _, a := range answers {
		_, _, ok := strings.Cut(a.Item.Key, ":")
		switch {
		case a.Key == "" || len(a.Key) > maxKey:
			return fault.New(fault.Internal, "the answer to %q has a key of %d bytes", a.Item.Key, len(a.Key))
		case !ok || len(a.Item.Key) > maxKey:
			return fault.New(fault.Internal, "the answer with the key %q is to no item", a.Key)
		}
	}
	return nil
}

// load reads which answers exist. Marks count only in our own comments, because anybody can write one.
func (a *replies) load(ctx context.Context) error {
	a.have, a.tags, a.existing = map[string]page{}, nil, map[string]bool{}
	lines, err := listAt[*gh.PullRequestComment](ctx, a.snapshot, kindLines)
	if err != nil {
		return err
	}
	talk, err := listAt[*gh.IssueComment](ctx, a.snapshot, kindComments)
	if err != nil {
		return err
	}
	a.lines = lines
	note := func(u *gh.User, body string) {
		if !a.ours(u) {
			return
		}
		for _, key := range forge.AnswerKeys(body) {
			a.existing[key] = true
		}
	}
	for _, c := range lines {
		note(c.GetUser(), c.GetBody())
	}
	for _, c := range talk {
		note(c.GetUser(), c.GetBody())
	}
	return nil
}

package github

import (
	"context"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// maxKey is the longest key of an item, and of an answer, in bytes: one comment must have room for the marks of many.
const maxKey = 500

// replies writes the answers of one call of Answer.
type replies struct {
	*snapshot                      // reads the pull request
	existing  map[string]ourAnswer // the oldest answer that there is, by key
	written   []ourAnswer          // by this call
	lines     []*gh.PullRequestComment
}

// ourAnswer is a comment of ours that answers something.
type ourAnswer struct {
	id       int64
	inThread bool // and otherwise in the conversation
	at       time.Time
	keys     []string
}

func (c ourAnswer) is(other ourAnswer) bool { return c.id == other.id && c.inThread == other.inThread }

func (c ourAnswer) before(other ourAnswer) bool {
	return c.at.Before(other.at) || c.at.Equal(other.at) && c.id < other.id
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
	if err := a.removeTwins(ctx); err != nil {
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
	a.have, a.tags, a.existing = map[string]page{}, nil, map[string]ourAnswer{}
	lines, err := listAt[*gh.PullRequestComment](ctx, a.snapshot, kindLines)
	if err != nil {
		return err
	}
	talk, err := listAt[*gh.IssueComment](ctx, a.snapshot, kindComments)
	if err != nil {
		return err
	}
	a.lines = lines
	for _, c := range lines {
		if a.ours(c.GetUser()) {
			a.note(ofThread(c))
		}
	}
	for _, c := range talk {
		if a.ours(c.GetUser()) {
			a.note(ofTalk(c))
		}
	}
	return nil
}

func (a *replies) note(c ourAnswer) {
	for _, key := range c.keys {
		if oldest, ok := a.existing[key]; !ok || c.before(oldest) {
			a.existing[key] = c
		}
	}
}

func ofThread(c *gh.PullRequestComment) ourAnswer {
	return ourAnswer{id: c.GetID(), inThread: true, at: c.GetCreatedAt().Time, keys: forge.AnswerKeys(c.GetBody())}
}

func ofTalk(c *gh.IssueComment) ourAnswer {
	return ourAnswer{id: c.GetID(), at: c.GetCreatedAt().Time, keys: forge.AnswerKeys(c.GetBody())}
}

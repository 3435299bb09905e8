package github

import (
	"context"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// people reads reviews and comments.
func (l *snapshot) people(ctx context.Context) error {
	reviews, err := listAt[*gh.PullRequestReview](ctx, l, kindReviews)
	if err != nil {
		return err
	}
	lines, err := listAt[*gh.PullRequestComment](ctx, l, kindLines)
	if err != nil {
		return err
	}
	talk, err := listAt[*gh.IssueComment](ctx, l, kindComments)
	if err != nil {
		return err
	}
	if l.me, err = l.meIfAny(ctx); err != nil {
		return err
	}
	for _, c := range lines {
		l.note(c.GetUser(), c.GetBody())
	}
	for _, c := range talk {
		l.note(c.GetUser(), c.GetBody())
	}
	if err := l.threads(ctx, lines); err != nil {
		return err
	}
	if err := l.reviewed(ctx, reviews, lines); err != nil {
		return err
	}
	return l.commented(ctx, talk)
}

// note records which items a comment of our own answers.
func (l *snapshot) note(u *gh.User, body string) {
	if !l.ours(u) {
		return
	}
	for key, last := range forge.AnsweredItems(body) {
		l.done[key] = max(l.done[key], last)
	}
}

// ours tells whether a user is the account of the token, or the author of the pull request.
func (l *snapshot) ours(u *gh.User) bool {
	login := u.GetLogin()
	return login != "" && (strings.EqualFold(login, l.me) || strings.EqualFold(login, l.author))
}

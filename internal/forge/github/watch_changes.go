package github

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// changedText is the sum of an issue whose text is not the one that was labelled. It is the sum of no text.
const changedText = "changed"

// changes finds out whether the text of an issue that a poll has listed is still the one that somebody labelled: unlike a webhook, a poll comes
// later.
type changes struct {
	renames

	listed *gh.Issue
}

// sumAt returns the sum of an issue's text as it was when somebody wrote a comment, and changedText when somebody else has changed it since, or when
// that can't be told: no issue may keep the others from being read. It is "" for who may not have it worked on.
func (p *poll) sumAt(ctx context.Context, number int, by *gh.User, since time.Time) (string, error) {
	if isBot(by) {
		return "", nil
	}
	may, err := p.MayWrite(ctx, task.Repository{Text: p.owner + "/" + p.name, Host: p.host, Owner: p.owner, Name: p.name}, by.GetLogin())
	if err != nil || !may {
		return "", err
	}
	one := issue{p.session, number}
	now, err := one.read(ctx)
	if fault.KindOf(err) == fault.NotFound || err == nil && now == nil {
		return "", nil
	} else if err != nil {
		return "", err
	}
	text := changes{listed: now}
	if err := one.events(ctx, text.read); err != nil {
		return changedText, one.skipped(err)
	}
	return text.sum(ctx, one, by.GetLogin(), since)
}

// sum returns the sum of the listed text, or changedText when somebody else than by has changed it since by asked for the issue. Where GitHub
// doesn't tell, the author may have.
func (c *changes) sum(ctx context.Context, i issue, by string, since time.Time) (string, error) {
	updated, created := c.listed.GetUpdatedAt(), c.listed.GetCreatedAt()
	if updated.Equal(created) {
		return sumOf(c.listed), nil
	}
	edits, err := i.editsSince(ctx, since)
	if untold(err) {
		i.log.Warn("GitHub does not tell who has changed the text of an issue: its author may have", "repository", i.owner+"/"+i.name,
			"issue", i.number, "error", err)
		edits, err = []forge.Act{{By: c.listed.GetUser().GetLogin(), At: since}}, nil
	}
	if err != nil {
		return "", err
	}
	for _, a := range append(edits, c.acts...) {
		if !a.At.Before(since) && !strings.EqualFold(a.By, by) {
			return changedText, nil
		}
	}
	return sumOf(c.listed), nil
}

// untold reports whether GitHub doesn't tell who has edited a text, or refuses that one question: for a proxy in front of GraphQL, for what the token
// may read there, or for GraphQL's own limit. Nothing else in a poll asks GraphQL, so the poll goes on.
func untold(err error) bool {
	var p *problem
	return errors.Is(err, forge.ErrUntold) || answered(err, http.StatusForbidden) || errors.As(err, &p) && p.graph
}

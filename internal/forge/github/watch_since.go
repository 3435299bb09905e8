package github

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

const (
	mostNews     = 500 // issues of one call
	mostComments = 50  // commands of one call: each may hold 16 KiB
)

// Since implements forge.Watcher. It returns events from the minute before the last poll a second time, with the same ID, because lists
// may lag behind. An issue is returned for the moment at which the label or assignment was set, and not again when it is edited or
// commented on.
func (f *Forge) Since(ctx context.Context, r task.Repository, label, from string) ([]forge.Event, string, error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return nil, "", err
	}
	c, err := readCursor(from)
	if err != nil {
		return nil, "", err
	}
	if c.Label != label {
		c.Label, c.Labelled = label, place{}
	}
	p := poll{session: s, c: &c, seen: map[string]bool{}, waiting: map[string]bool{}}
	if err := p.run(ctx); err != nil {
		return nil, "", err
	}
	next, err := json.Marshal(c)
	if err != nil {
		return nil, "", err
	}
	if len(next) > maxCursor {
		return nil, "", fault.New(fault.Input, "GitHub: label %q is too long", short(label)).WithHint("name a label of at most 50 characters")
	}
	slices.SortStableFunc(p.events, func(a, b forge.Event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	p.renew()
	return p.events, string(next), nil
}

// poll reads once what is new.
type poll struct {
	*session
	c       *cursor
	at      time.Time // when the poll began, by GitHub's clock
	events  []forge.Event
	seen    map[string]bool
	waiting map[string]bool // events of a first listing, by ID
}

func (p *poll) run(ctx context.Context) error {
	if err := p.whoami(ctx); err != nil {
		return err
	}
	talk, labelled, assigned := true, true, true
	var err error
	if p.c.Comments.Since.IsZero() {
		p.c.Comments.Since = p.at
	} else if talk, err = p.comments(ctx); err != nil {
		return err
	}
	if p.c.Label != "" {
		if p.c.Labelled, labelled, err = p.issues(ctx, p.c.Labelled, "labels", p.c.Label); err != nil {
			return err
		}
	}
	if p.c.Me != "" {
		if p.c.Assigned, assigned, err = p.issues(ctx, p.c.Assigned, "assignee", p.c.Me); err != nil {
			return err
		}
	}
	if talk && labelled && assigned {
		p.c.At = p.at
	}
	return nil
}

// news returns the time before which a list has nothing new.
func (p *poll) news(from place) time.Time {
	if p.c.At.IsZero() || from.first() {
		return time.Time{}
	}
	return p.c.At.Add(-overlap)
}

// issues adds the open issues of a list whose label or assignment is new.
func (p *poll) issues(ctx context.Context, from place, filter, value string) (place, bool, error) {
	q := url.Values{"state": {"open"}, "sort": {"updated"}, "direction": {"asc"}, filter: {value}}
	news := p.news(from)
	return changed(ctx, p, "list issues", p.path("issues"), q, from, mostNews, func(i *gh.Issue) (time.Time, bool, error) {
		at := i.GetUpdatedAt().Time
		if i.IsPullRequest() || i.GetNumber() <= 0 || at.Before(news) {
			return at, false, nil
		}
		w, text := requester{label: p.c.Label, me: p.c.Me}, changes{listed: i}
		one := issue{p.session, i.GetNumber()}
		if err := one.events(ctx, func(e *gh.IssueEvent) { w.read(e); text.read(e) }); err != nil {
			return at, false, one.skipped(err)
		}
		by, when, what := w.last(i)
		if by.GetLogin() == "" || when.Before(news) || strings.EqualFold(by.GetLogin(), p.c.Me) {
			return at, false, nil
		}
		sum, err := text.sum(ctx, one, by.GetLogin(), when)
		if err != nil {
			return at, false, err
		}
		value := map[string]string{"labeled": p.c.Label, "assigned": p.c.Me}[what]
		id := wantedEventID(p.owner, p.name, i.GetNumber(), what, value, when)
		p.waiting[id] = p.waiting[id] || news.IsZero()
		return at, p.add(forge.Event{
			Kind: forge.IssueWanted, ID: id, Number: i.GetNumber(), Actor: by.GetLogin(), Bot: isBot(by), What: "issues " + what,
			Sum: sum, At: when.UTC(), Labelled: w.hasLabel(i), Assigned: w.hasUs(i), Assignees: assigneesOf(i),
		}), nil
	})
}

// longestLabelled is how long ago an issue may have been labelled that has waited for the first listing. What is older may have had its task, which
// the server has forgotten: a listing is the first one also after another worker has ended the Watch.
const longestLabelled = 3 * 24 * time.Hour

// renew gives the issues of a first listing the time of the poll: they have waited for it, so none of them comes late.
func (p *poll) renew() {
	for i, e := range p.events {
		if p.waiting[e.ID] && p.at.Sub(e.At) < longestLabelled {
			p.events[i].At = p.at.UTC()
		}
	}
}

// comments adds the new commands. As with webhooks, an old comment that was edited into a command does not count.
func (p *poll) comments(ctx context.Context) (all bool, err error) {
	from, news := p.c.Comments, p.news(p.c.Comments)
	if news.IsZero() { // no poll has read all issues yet
		news = from.Since
	}
	q := url.Values{"sort": {"updated"}, "direction": {"asc"}}
	p.c.Comments, all, err = changed(ctx, p, "list comments", p.path("issues/comments"), q, from, mostComments,
		func(c *gh.IssueComment) (time.Time, bool, error) {
			at, news := c.GetUpdatedAt().Time, news
			if !at.Equal(c.GetCreatedAt().Time) { // edited: its first text is not known
				news = later(p.c.At, from.Since)
			}
			text, ok := commandIn(c.GetBody())
			number, _ := strconv.Atoi(c.GetIssueURL()[strings.LastIndexByte(c.GetIssueURL(), '/')+1:])
			if !ok || number <= 0 || c.GetCreatedAt().Before(news) || strings.EqualFold(c.GetUser().GetLogin(), p.c.Me) {
				return at, false, nil
			}
			pull, sum := strings.Contains(c.GetHTMLURL(), "/pull/"), ""
			if forge.StartsTask(text) && !pull {
				var err error
				if sum, err = p.sumAt(ctx, number, c.GetUser(), c.GetCreatedAt().Time); err != nil {
					return at, false, err
				}
			}
			return at, p.add(forge.Event{
				Sum: sum, Kind: forge.Commanded, ID: commentEventID(c.GetID()), Number: number, Comment: c.GetID(), Text: text,
				Pull: pull, Actor: c.GetUser().GetLogin(), Bot: isBot(c.GetUser()),
				What: "issue_comment created", At: c.GetCreatedAt().UTC(),
			}), nil
		})
	return all, err
}

// add adds an event, once: an issue can be in both lists.
func (p *poll) add(e forge.Event) bool {
	if p.seen[e.ID] {
		return false
	}
	p.seen[e.ID] = true
	e.Host, e.Owner, e.Name = p.host, p.owner, p.name
	p.events = append(p.events, e)
	return true
}

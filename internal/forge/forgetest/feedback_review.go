package forgetest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

type Review struct {
	ID    int64
	By    string
	State string // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED or PENDING
	Body  string
	At    time.Time // now when zero
	Lines []Comment // its comments on lines; their author and time are the review's
}

// Review notes a review; its author is no longer among those asked.
func (g *GitHub) Review(repo string, number int, login string) {
	g.AddReview(repo, number, Review{By: login, State: "COMMENTED", Body: "Looks good."})
}

// AddReview notes a review and gives its id, and those of its comments on lines. Its author is no longer among those asked.
func (g *GitHub) AddReview(repo string, number int, r Review) (id int64, lines []int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f, p := g.feedbackOn(repo), g.repo(repo).pull(number)
	if p == nil {
		g.t.Errorf("there is no pull request #%d in %s", number, repo)
		return 0, nil
	}
	r.ID, r.At = g.id(), g.at(r.At)
	for _, c := range r.Lines {
		c.ID, c.By, c.At, c.Review = g.id(), r.By, r.At, r.ID
		if c.ReplyTo != 0 {
			c.Review = 0
		}
		f.lines[number] = append(f.lines[number], &c)
		lines = append(lines, c.ID)
	}
	f.reviews[number] = append(f.reviews[number], &r)
	p.Reviews = append(p.Reviews, r.By)
	p.Reviewers = slices.DeleteFunc(p.Reviewers, func(login string) bool { return strings.EqualFold(login, r.By) })
	return r.ID, lines
}

// SetReviewState changes the state of a review, as one that is dismissed.
func (g *GitHub) SetReviewState(repo string, id int64, state string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, list := range g.feedbackOn(repo).reviews {
		for _, r := range list {
			if r.ID == id {
				r.State = state
				return
			}
		}
	}
	g.t.Errorf("there is no review %d in %s", id, repo)
}

// ReplyThread adds a person's comment to the thread that begins with a comment on a line, and gives its id.
func (g *GitHub) ReplyThread(repo string, number int, first int64, by, body string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.feedbackOn(repo)
	for _, c := range f.lines[number] {
		if c.ID == first {
			n := *c
			n.ID, n.By, n.Body, n.At, n.Edited, n.ReplyTo, n.Review = g.id(), by, body, g.now(), time.Time{}, first, g.id()
			f.lines[number] = append(f.lines[number], &n)
			return n.ID
		}
	}
	g.t.Errorf("there is no comment %d on a line of #%d in %s", first, number, repo)
	return 0
}

// reviews are the reviews of a pull request as the description has them. One that is pending is shown to its author only.
func (g *GitHub) reviews(repo *Repository, p *Pull) []any {
	list := []any{}
	for _, r := range repo.feedback().reviews[p.Number] {
		if r.State == "PENDING" && !strings.EqualFold(r.By, g.user) {
			continue
		}
		_, head := g.headOf(repo, p)
		m := g.object("pull-request-review", map[string]any{
			"id": r.ID, "user": g.account(r.By), "state": r.State, "body": r.Body, "author_association": g.association(repo, r.By),
			"commit_id": head, "html_url": fmt.Sprintf("%s/%s/pull/%d#pullrequestreview-%d", g.URL, repo.Name, p.Number, r.ID),
		})
		if r.State != "PENDING" {
			m["submitted_at"] = stamp(r.At)
		}
		list = append(list, m)
	}
	return list
}

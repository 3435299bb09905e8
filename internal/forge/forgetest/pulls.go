package forgetest

import (
	"slices"
	"strings"
	"time"
)

type Pull struct {
	Number    int
	Title     string
	Body      string
	State     string // open or closed
	Merged    bool
	Draft     bool
	Head      string // branch
	From      string // full name of the fork that has it; "" when the repository itself does
	Base      string // branch
	Author    string
	Labels    []string
	Reviewers []string // asked and not yet done
	Teams     []string // slugs, asked and not yet done
	Reviews   []string // who has reviewed
	Created   time.Time
	Mergeable *bool // nil: not found out yet
	MergedBy  string

	commit string // of the head
}

// Pulls gives the pull requests of a repository in the order of their numbers.
func (g *GitHub) Pulls(repo string) []Pull {
	g.mu.Lock()
	defer g.mu.Unlock()
	var all []Pull
	if r := g.repo(repo); r != nil {
		for _, p := range r.pulls {
			c := *p
			c.Labels, c.Reviewers = slices.Clone(p.Labels), slices.Clone(p.Reviewers)
			c.Teams, c.Reviews = slices.Clone(p.Teams), slices.Clone(p.Reviews)
			all = append(all, c)
		}
	}
	return all
}

// OpenPull puts a pull request on the server that somebody else has opened, and gives its number.
func (g *GitHub) OpenPull(repo string, p Pull) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.add(g.repo(repo), p).Number
}

func (g *GitHub) Edit(repo string, number int, change func(p *Pull)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.repo(repo).pull(number); p != nil {
		change(p)
	} else {
		g.t.Errorf("there is no pull request #%d in %s", number, repo)
	}
}

// Close closes a pull request without merging it.
func (g *GitHub) Close(repo string, number int) {
	g.Edit(repo, number, func(p *Pull) { p.State = "closed" })
}

func (g *GitHub) Merge(repo string, number int) {
	g.Edit(repo, number, func(p *Pull) { p.State, p.Merged = "closed", true })
}

// SetMergeable says whether a pull request can be merged; nil is not found out yet.
func (g *GitHub) SetMergeable(repo string, number int, can *bool) {
	g.Edit(repo, number, func(p *Pull) { p.Mergeable = can })
}

// add opens a pull request; g.mu must be held.
func (g *GitHub) add(r *Repository, p Pull) *Pull {
	p.Number = len(r.pulls) + 1
	if p.State == "" {
		p.State = "open"
	}
	if p.Author == "" {
		p.Author = g.user
	}
	if p.Created.IsZero() {
		p.Created = g.now()
	}
	r.pulls = append(r.pulls, &p)
	return &p
}

func (r *Repository) pull(number int) *Pull {
	if number < 1 || number > len(r.pulls) {
		return nil
	}
	return r.pulls[number-1]
}

// owner is whose branch it comes from.
func (p *Pull) owner(r *Repository) string {
	if p.From == "" {
		return r.owner()
	}
	owner, _, _ := strings.Cut(p.From, "/")
	return owner
}

func (r *Repository) owner() string {
	owner, _, _ := strings.Cut(r.Name, "/")
	return owner
}

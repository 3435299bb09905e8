package local

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// create writes the record under the next number. Of two processes only one succeeds and the other looks again, so two tasks get two
// numbers, and one task can't get two.
func (f *Forge) create(ctx context.Context, g *repository, r forge.Request, number int) (*Record, []string, error) {
	p := &Record{
		Number: number, Title: r.Title, State: forge.Open, Task: r.TaskID, Fence: r.Fence, Head: r.Head, Base: r.Base, Draft: r.Draft,
		Labels: add(nil, r.Labels), Reviewers: add(nil, r.Reviewers), Created: f.now().UTC(), Updated: f.now().UTC(), Body: r.Body,
		URL: g.path + " " + ref(number, "record"),
	}
	var warnings []string
	var err error
	if p.BaseCommit, err = g.resolve(ctx, "refs/heads/"+r.Base+"^{commit}"); err != nil {
		return nil, nil, fmt.Errorf("local forge: %w", err)
	}
	if p.BaseCommit == "" {
		return nil, nil, fault.New(fault.Input, "base branch %q is not in %s", r.Base, g.path).
			WithHint("make a branch of that name there, and resume")
	}
	if p.HeadCommit, warnings, err = g.headCommit(ctx, r); err != nil {
		return nil, nil, err
	}
	ahead, err := g.git(ctx, nil, "rev-list", "--count", p.BaseCommit+".."+p.HeadCommit)
	if err != nil {
		return nil, nil, fmt.Errorf("local forge: %w", err)
	}
	if ahead == "0" {
		return nil, nil, fault.New(fault.Input, "branch %q has no commit that %q in %s lacks", r.Head, r.Base, g.path).
			WithHint("there is nothing to merge; the work may have been merged already")
	}
	if err := g.write(ctx, p, absent); err != nil {
		return nil, nil, wrap("create pull request", err)
	}
	f.written()
	return p, warnings, ctx.Err()
}

// headCommit returns the commit that was pushed, or the head of the branch when the request names none.
func (g *repository) headCommit(ctx context.Context, r forge.Request) (string, []string, error) {
	gone := func(what string) error {
		return fault.New(fault.Changed, "%s is not in %s", what, g.path).WithHint("somebody has deleted it, or the push went elsewhere")
	}
	at, err := g.resolve(ctx, "refs/heads/"+r.Head+"^{commit}")
	if err != nil {
		return "", nil, fmt.Errorf("local forge: %w", err)
	}
	if at == "" {
		return "", nil, gone(fmt.Sprintf("branch %q", r.Head))
	}
	if r.HeadCommit == "" || r.HeadCommit == at {
		return at, nil, nil
	}
	pushed, err := g.resolve(ctx, r.HeadCommit+"^{commit}")
	if err != nil {
		return "", nil, fmt.Errorf("local forge: %w", err)
	}
	if pushed == "" {
		return "", nil, gone("commit " + r.HeadCommit)
	}
	return pushed, []string{fmt.Sprintf("branch %s is at %.12s, pushed was %.12s", r.Head, at, pushed)}, nil
}

// update changes the record of an open pull request to what the request says. It writes nothing when nothing differs.
func (f *Forge) update(ctx context.Context, g *repository, r forge.Request, p *Record) ([]string, error) {
	head, warnings, err := g.headCommit(ctx, r)
	if err != nil {
		return nil, err
	}
	if p.Base != r.Base {
		warnings = append(warnings, fmt.Sprintf("#%d goes into %q, not into %q: somebody has changed its base", p.Number, p.Base, r.Base))
	}
	labels, reviewers := add(p.Labels, r.Labels), add(p.Reviewers, r.Reviewers)
	if p.Title == r.Title && p.Body == r.Body && p.HeadCommit == head && p.Fence == r.Fence &&
		slices.Equal(p.Labels, labels) && slices.Equal(p.Reviewers, reviewers) {
		return warnings, nil
	}
	p.Title, p.Body, p.HeadCommit, p.Fence, p.Labels, p.Reviewers = r.Title, r.Body, head, r.Fence, labels, reviewers
	p.Updated = f.now().UTC()
	if err := g.write(ctx, p, p.blob); err != nil {
		return nil, wrap("update pull request", err)
	}
	return warnings, nil
}

// wrap adds the step to an error, except to errRaced.
func wrap(step string, err error) error {
	if err == errRaced {
		return err
	}
	return fmt.Errorf("local forge: %s: %w", step, err)
}

// add returns a list with the missing names appended, each once.
func add(have, more []string) []string {
	have = slices.Clone(have)
	for _, m := range more {
		m = strings.TrimSpace(m)
		if m != "" && !slices.ContainsFunc(have, func(h string) bool { return strings.EqualFold(h, m) }) {
			have = append(have, m)
		}
	}
	return have
}

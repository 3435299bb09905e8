package inbound

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/internal/repo/checkouts"
)

func (d projectVerbs) list(ctx context.Context, ev channel.Event) (decision, error) {
	current, err := d.current.name(ctx, ev)
	if err != nil && !final(err) {
		return decision{}, err
	}
	all, err := d.projects.List(ctx)
	if err != nil {
		return answer(d.render.Error(err)), nil
	}
	if len(all) == 0 {
		return answer("There are no workspaces: the projects folder is empty."), nil
	}
	const most = 40
	var lines []string
	for _, p := range all[:min(len(all), most)] {
		line := "- " + d.render.Mono(p.Name)
		switch {
		case !p.Repository:
			line += ", no git repository"
		case p.Branch != "":
			line += ", " + d.render.Literal(p.Branch, 100)
		}
		if p.Name == current {
			line += ": **yours**"
		}
		lines = append(lines, line)
	}
	if len(all) > most {
		lines = append(lines, fmt.Sprintf("- and %d more", len(all)-most))
	}
	return answer(strings.Join(lines, "\n")), nil
}

// info shows a project, or the current one when no name is given.
func (d projectVerbs) info(ctx context.Context, ev channel.Event, name string) (decision, error) {
	if name == "" {
		current, err := d.current.name(ctx, ev)
		switch {
		case err != nil && !final(err):
			return decision{}, err
		case err != nil:
			return answer(d.render.Error(err)), nil
		case current == "":
			return answer("You have no workspace. Choose one with `workspaces switch NAME`, or write `workspaces info NAME`."), nil
		}
		name = current
	}
	info, err := d.projects.Info(ctx, name)
	if err != nil {
		return answer(d.render.Error(err)), nil
	}
	return answer(projectText(info, d.render, d.now())), nil
}

func projectText(p checkouts.Info, m render.Markdown, now time.Time) string {
	what := fmt.Sprintf("%d tracked files", p.Files)
	switch {
	case !p.Repository:
		what = fmt.Sprintf("no git repository, %d files", p.Files)
	case p.Dirty:
		what += ", changed"
	case !p.Bare:
		what += ", clean"
	}
	if p.AtLeast {
		what += " or more"
	}
	lines := []string{"**" + m.Literal(p.Name, 255) + "**: " + what, "- path: " + m.Literal(p.Path, 500)}
	if p.Branch != "" {
		lines = append(lines, "- branch: "+m.Literal(p.Branch, 200))
	}
	for _, c := range p.Commits {
		lines = append(lines, fmt.Sprintf("- %s %s (%s, %s ago)",
			m.Mono(c.ID), m.Literal(c.Subject, 150), m.Literal(c.Author, 80), age(now.Sub(c.Time))))
	}
	return strings.Join(lines, "\n")
}

func age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

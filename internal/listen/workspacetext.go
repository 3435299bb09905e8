package listen

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/projects"
)

// listSpaces lists the projects.
func (e *Ear) listSpaces(ctx context.Context, ev channel.Event) (channel.Answer, error) {
	current, err := e.ownSpace(ctx, ev)
	if err != nil && !final(err) {
		return channel.Answer{}, err
	}
	all, err := e.c.Projects.List(ctx)
	if err != nil {
		return channel.Answer{Text: e.said(err)}, nil
	}
	if len(all) == 0 {
		return channel.Answer{Text: "There are no workspaces: the projects folder is empty."}, nil
	}
	const most = 40
	var lines []string
	for i, p := range all {
		if i == most {
			lines = append(lines, fmt.Sprintf("- and %d more", len(all)-most))
			break
		}
		line := "- " + e.mono(p.Name)
		switch {
		case !p.Repository:
			line += ", no git repository"
		case p.Branch != "":
			line += ", " + e.literal(p.Branch, 100)
		}
		if p.Name == current {
			line += ": **yours**"
		}
		lines = append(lines, line)
	}
	return channel.Answer{Text: strings.Join(lines, "\n")}, nil
}

// showSpace shows one project, or the current one.
func (e *Ear) showSpace(ctx context.Context, ev channel.Event, name string) (channel.Answer, error) {
	if name == "" {
		current, err := e.ownSpace(ctx, ev)
		switch {
		case err != nil && !final(err):
			return channel.Answer{}, err
		case err != nil:
			return channel.Answer{Text: e.said(err)}, nil
		case current == "":
			return channel.Answer{Text: "You have no workspace. Choose one with `workspaces switch NAME`, or write `workspaces info NAME`."}, nil
		}
		name = current
	}
	info, err := e.c.Projects.Info(ctx, name)
	if err != nil {
		return channel.Answer{Text: e.said(err)}, nil
	}
	return channel.Answer{Text: e.spaceText(info)}, nil
}

func (e *Ear) spaceText(w projects.Info) string {
	what := fmt.Sprintf("%d tracked files", w.Files)
	switch {
	case !w.Repository:
		what = fmt.Sprintf("no git repository, %d files", w.Files)
	case w.Dirty:
		what += ", changed"
	case !w.Bare:
		what += ", clean"
	}
	if w.AtLeast {
		what += " or more"
	}
	lines := []string{"**" + e.literal(w.Name, 255) + "**: " + what, "- path: " + e.literal(e.c.Redact(w.Path), 500)}
	if w.Branch != "" {
		lines = append(lines, "- branch: "+e.literal(w.Branch, 200))
	}
	for _, c := range w.Commits {
		lines = append(lines, fmt.Sprintf("- %s %s (%s, %s ago)", e.mono(c.ID), e.literal(c.Subject, 150), e.literal(c.Author, 80), age(e.c.Now().Sub(c.Time))))
	}
	return strings.Join(lines, "\n")
}

// age says how long ago something was, in one unit.
func age(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

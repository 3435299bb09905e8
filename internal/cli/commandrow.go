package cli

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/cli/term"
)

// commandRow is a record as it is shown. Its texts come from agents.
type commandRow audit.Record

func commandTable(rows []commandRow, tasks bool) string {
	head := []string{"TIME (UTC)", "TASK", "SESSION", "ROLE", "WHAT", "EXIT", "TOOK", "RULE", "COMMAND"}
	columns := func(all []string) []string {
		if tasks {
			return all
		}
		return slices.Delete(all, 1, 2) // the task is the same in every row
	}
	return term.TableOf(columns(head), rows, func(r commandRow) []string {
		return columns([]string{r.Time.UTC().Format(time.DateTime), term.Visible(r.Task), term.Visible(r.Session), term.Visible(r.Role),
			r.what(), r.exit(), r.took(), term.Visible(r.Rule), r.command()})
	})
}

// what is the decision, or that it was run.
func (r commandRow) what() string {
	switch {
	case r.Kind == audit.KindRun:
		return "run"
	case r.ApprovedBy != "":
		return string(r.Decision) + " by " + term.Visible(r.ApprovedBy)
	}
	return term.Visible(string(r.Decision))
}

func (r commandRow) exit() string {
	if r.ExitCode == nil {
		return "-"
	}
	return strconv.Itoa(*r.ExitCode)
}

// took keeps the milliseconds of short commands, unlike the times of tasks.
func (r commandRow) took() string {
	switch {
	case r.ExitCode == nil:
		return "-"
	case r.Duration < time.Second:
		return fmt.Sprintf("%dms", max(r.Duration, 0).Milliseconds())
	}
	return term.Duration(r.Duration)
}

func (r commandRow) command() string {
	text := term.Visible(r.Command)
	if r.Tool != "" && r.Command == "" {
		text = term.Visible(r.Tool)
	}
	if r.Truncated {
		text += fmt.Sprintf(" … (cut at %d KiB)", audit.MaxCommand>>10)
	}
	return text
}

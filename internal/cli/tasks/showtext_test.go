package tasks

import (
	"testing"
	"time"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestShowNamesWhatWasReported(t *testing.T) {
	at := time.Date(2026, 7, 30, 14, 12, 0, 0, time.Local)
	s := signals.Status{Outcome: task.PullRequest, Phase: task.Ended,
		SpecIssues: []task.Entry{{Time: at, Kind: string(task.SpecIssue), Text: "which sum?\nspecs/a.md says both\x1b[2J"}}}
	s.Findings = []task.Entry{{Time: at, Kind: string(task.Found), Text: "a.go: it leaks\x1b[2J"}}
	s.TaskID, s.Sessions = "calc-1", []signals.Session{{N: 1, Role: task.Planner}}
	s.Notes = []task.Entry{{Time: at, Kind: string(task.Note), Text: "Dates are UTC."}}
	clitest.Wants(t, ShowText(Snapshot{Status: &s}, at, ""), "\nLook at these before the merge\n  2026-07-30 14:12  a.go: it leaks",
		"\nNotes of the sessions\n  2026-07-30 14:12  Dates are UTC.\n",
		"\nUnclear in the specification\n  2026-07-30 14:12  which sum?\n"+
			"                    specs/a.md says both",
		"\nFiles of the sessions\n  tasks/calc-1/sessions, in the data folder of each session's host\n")
}

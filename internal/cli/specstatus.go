package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/task"
)

// specStatus is what spec status uses.
type specStatus struct {
	*specReader
	printer  *term.Printer
	markdown bool
}

func newSpecStatusCommand(f *factory) *cobra.Command {
	o := &specStatus{specReader: newSpecReader(f), printer: f.printer}
	return &cobra.Command{
		Use:   "status",
		Short: "Show what the deliverables of the specification come to at the last commit",
		Long: `Show what the deliverables of the specification come to at the last commit of the repository of the current folder: how many are done, which
are blocked and why, and whose evidence is outdated, because what it was found on has changed. Nothing is run, and no server is asked.
With -o markdown it is a task list, such as for a pull request.`,
		Example:     "  longshift spec status\n  longshift spec status -o json | jq -r '.deliverables[] | select(.state != \"passed\") | .id'",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound),
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if o.markdown = f.printer.Format == "markdown"; o.markdown {
				f.printer.Format = term.FormatText
			}
			return f.checkFormat()
		},
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := o.repositories.Here(c.Context())
			if err != nil {
				return err
			}
			at, err := o.read(c.Context(), dir)
			if err != nil {
				return err
			}
			text := at.text
			if o.markdown {
				text = at.markdown
			}
			return o.printer.Print(at.rows(nil), text)
		},
	}
}

// specRows is what spec status and spec sync --check print as JSON.
type specRows struct {
	Commit       string    `json:"commit"`
	Passed       int       `json:"passed"`
	Of           int       `json:"of"`
	Stands       bool      `json:"stands"` // all that is asked for is there
	SpecChanged  []string  `json:"specChanged,omitempty"`
	Deliverables []specRow `json:"deliverables"`
}

type specRow struct {
	ID          string            `json:"id"`
	Description string            `json:"description"`
	State       deliverable.State `json:"state"`
	Why         string            `json:"why,omitempty"`
	Command     string            `json:"command,omitempty"`
	Guard       bool              `json:"guard,omitempty"` // the command passed before the work, too
	Failed      string            `json:"failed,omitempty"`
}

// rows lists the deliverables; failed says why commands failed that were run again, by id.
func (at recorded) rows(failed map[string]string) specRows {
	out := specRows{Commit: at.commit, Passed: at.Passed, Of: at.Of, Stands: at.Stands() && len(failed) == 0, SpecChanged: at.SpecChanged,
		Deliverables: []specRow{}}
	for _, s := range at.All {
		row := specRow{ID: s.ID, Description: s.Description, State: s.State, Why: s.Why, Command: s.Proof, Guard: s.Guard, Failed: failed[s.ID]}
		if s.Evidence != nil {
			row.Command = s.Evidence.Command
		}
		out.Deliverables = append(out.Deliverables, row)
	}
	return out
}

// summary is the first line of what people read.
func (at recorded) summary() string {
	return fmt.Sprintf("%d of %s done at %.10s", at.Passed, term.Count(at.Of, "deliverable"), at.commit)
}

// specChanges says what of the specification has changed, or was carried out in part, a line each.
func (at recorded) specChanges() (lines []string) {
	for _, name := range at.SpecChanged {
		lines = append(lines, term.OneLine(name)+" is not what was carried out")
	}
	return lines
}

var specBoxes = map[deliverable.State]string{deliverable.Passed: "x", deliverable.Blocked: "!", deliverable.Deprecated: "-"}

func (at recorded) text() string {
	var b strings.Builder
	b.WriteString(at.summary() + "\n")
	for _, s := range at.All {
		box := specBoxes[s.State]
		if box == "" {
			box = " "
		}
		fmt.Fprintf(&b, "  [%s] %s  %s\n", box, s.ID, term.OneLine(s.Description))
		about := term.OneLine(s.String())
		if e := s.Evidence; e != nil && s.State == deliverable.Passed {
			about += ": " + term.OneLine(e.Command)
			if e.Tests != nil {
				about += ", " + e.Tests.String()
			}
			if s.Guard {
				about += "; it passed before the work, too"
			}
		}
		fmt.Fprintf(&b, "        %s\n", about)
	}
	for _, line := range at.specChanges() {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (at recorded) markdown() string {
	var b strings.Builder
	b.WriteString("**" + at.summary() + "**\n\n")
	for _, s := range at.All {
		if s.State == deliverable.Deprecated {
			continue
		}
		box := " "
		if s.State == deliverable.Passed {
			box = "x"
		}
		line := task.Literally(term.OneLine(s.Description))
		if s.State != deliverable.Passed {
			line += " (" + task.Literally(term.OneLine(s.String())) + ")"
		}
		fmt.Fprintf(&b, "- [%s] `%s` %s\n", box, s.ID, line)
	}
	for _, line := range at.specChanges() {
		b.WriteString("\n" + task.Literally(line) + ".\n")
	}
	return b.String()
}

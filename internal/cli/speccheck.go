package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/plaintext"
	"github.com/longshift/longshift/internal/remove"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/internal/repo/toolchain"
)

// specCheck looks whether the last commit still is what the evidence of its deliverables was found on.
type specCheck struct {
	*specReader
	env     environ.Environ
	printer *term.Printer
}

// run fails when something that the specification asks for is not there, in the repository that was given as --repo, "" for that of the
// current folder. With rerun the commands are run, in a checkout of their own.
func (o *specCheck) run(ctx context.Context, given string, rerun bool) error {
	dir, err := o.repositories.OnDisk(ctx, given)
	if err != nil {
		return err
	}
	at, err := o.read(ctx, dir)
	if err != nil {
		return err
	}
	var failed map[string]string
	if rerun {
		if failed, err = o.rerun(ctx, at); err != nil {
			return err
		}
	}
	rows := at.rows(failed)
	if err := o.printer.Print(rows, func() string { return checkText(at, failed) }); err != nil {
		return err
	}
	if !rows.Stands {
		return fault.New(fault.Work, "the specification is not carried out: %s", shortfall(at, failed)).
			WithHint("longshift spec run does what is missing")
	}
	return nil
}

// checkText lists what does not stand.
func checkText(at recorded, failed map[string]string) string {
	var b strings.Builder
	b.WriteString(at.summary() + "\n")
	for _, s := range at.All {
		why := s.String()
		if f := failed[s.ID]; f != "" {
			why = f
		} else if s.State == deliverable.Passed || s.State == deliverable.Deprecated {
			continue
		}
		fmt.Fprintf(&b, "  %s  %s\n", s.ID, term.OneLine(why))
	}
	for _, line := range at.specChanges() {
		b.WriteString("  " + line + "\n")
	}
	return b.String()
}

func shortfall(at recorded, failed map[string]string) string {
	var parts []string
	if n := at.Of - at.Passed; n > 0 {
		parts = append(parts, fmt.Sprintf("%s not done", term.Count(n, "deliverable")))
	}
	if n := len(failed); n > 0 {
		parts = append(parts, term.Count(n, "deliverable")+" whose command fails")
	}
	if n := len(at.SpecChanged); n > 0 {
		parts = append(parts, term.Count(n, "changed part")+" of the specification")
	}
	return strings.Join(parts, ", ")
}

// rerun runs the commands of the deliverables that have passed, and says of those that fail now why, by id.
func (o *specCheck) rerun(ctx context.Context, at recorded) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "longshift-check-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the checkout: %w", err)
	}
	defer remove.All(dir)
	work := filepath.Join(dir, "work")
	if _, err := o.git.Run(ctx, dir, "clone", "--quiet", "--no-checkout", "--shared", "--", at.dir, work); err != nil {
		return nil, fmt.Errorf("check out %.10s: %w", at.commit, err)
	}
	if _, err := o.git.Run(ctx, work, "checkout", "--quiet", "--detach", at.commit); err != nil {
		return nil, fmt.Errorf("check out %.10s: %w", at.commit, err)
	}
	if setup := at.content.Setup(); setup != "" {
		why, err := o.command(ctx, work, setup)
		if err != nil {
			return nil, err
		}
		if why != "" {
			return nil, fault.New(fault.Work, "the setup command %s %s", term.FirstLine(setup), why)
		}
	}
	said, failed := map[string]string{}, map[string]string{}
	for _, s := range at.All {
		if s.Evidence == nil || s.State == deliverable.Deprecated {
			continue
		}
		c := s.Evidence.Command
		if _, done := said[c]; !done {
			if said[c], err = o.command(ctx, work, c); err != nil {
				return nil, err
			}
		}
		if said[c] != "" {
			failed[s.ID] = term.FirstLine(c) + " " + said[c]
		}
	}
	return failed, nil
}

// command runs a command, and says how it failed; "" when it passed.
func (o *specCheck) command(ctx context.Context, dir, line string) (string, error) {
	spec := process.Bash(line)
	spec.Dir, spec.Env = dir, o.env.Without("GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=")
	out := filepath.Join(filepath.Dir(dir), "output")
	spec.OutputFile = out
	o.printer.Say("running %s", line)
	res, err := process.Run(ctx, spec, process.Limits{Keep: 4 << 10})
	if err != nil {
		if ctx.Err() != nil {
			return "", term.ErrInterrupted
		}
		return "", fmt.Errorf("run %s: %w", term.FirstLine(line), err)
	}
	if !res.Success() {
		o.printer.Say("%s", strings.TrimRight(plaintext.Of(res.Output), "\n"))
		return "failed: " + res.Exit.String(), nil
	}
	f, err := os.Open(out)
	if err != nil {
		return "", fmt.Errorf("read what %s printed: %w", term.FirstLine(line), err)
	}
	defer f.Close()
	if ran := toolchain.Ran(f); ran != nil && ran.N == 0 {
		return "ran no tests", nil
	}
	return "", nil
}

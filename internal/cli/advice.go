package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/task"
)

// advice warns of what the user of a new task may not know. It keeps no task from starting.
type advice struct {
	git      environ.Git
	settings committedSettings
	say      func(format string, args ...any)
}

func newAdvice(f *factory) advice { return advice{f.git, newCommittedSettings(f), f.printer.Say} }

// give looks at the folder that the task was started from; there is none for a repository that was named by its address.
func (a advice) give(ctx context.Context, folder string, in task.Input) {
	if folder == "" {
		return
	}
	// Without a work tree, as in a bare repository, git status fails and nothing can be uncommitted.
	if changed, err := a.git.Run(ctx, folder, "status", "--porcelain"); err == nil && changed != "" {
		a.say("warning: uncommitted changes in %s; the task starts from the last commit of %s, without them",
			term.Count(strings.Count(changed, "\n")+1, "file"), in.Base)
	}
	if in.Config != nil && in.Config.Check != nil {
		return
	}
	settings, err := a.settings.read(ctx, folder, "refs/heads/"+in.Base, in.Base)
	if err != nil || settings != nil && settings.Check != nil {
		return
	}
	way := "`longshift init` proposes one"
	if settings != nil {
		way = "set `check` in " + project.FileName
	} else if file, err := a.git.Run(ctx, folder, "status", "--porcelain", "--", project.FileName); err == nil && file != "" {
		way = "commit " + project.FileName + ", which tasks read from the last commit"
	}
	a.say("warning: no check is set, so no command will prove the work; %s, or give --check", way)
}

// base says which branch the task starts from when nobody has named it and it is not the current one, or not the default one: that of
// origin, else main or master.
func (a advice) base(ctx context.Context, folder, base string) {
	if folder == "" || base == "" {
		return
	}
	if current, err := currentBranch(ctx, a.git, folder); current == "" {
		if err == nil {
			a.detached(ctx, folder, base)
		}
		return
	}
	usual, err := a.git.Run(ctx, folder, "symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
	if err != nil {
		usual = usualBranch(ctx, a.git, folder)
	}
	if usual = strings.TrimPrefix(usual, "refs/remotes/origin/"); usual != "" && usual != base {
		a.say("base %s, the current branch of %s; give --base %s to start from that", base, folder, usual)
	}
}

// detached says which branch the task starts from where none is checked out, and that commits which only HEAD has are not in it.
func (a advice) detached(ctx context.Context, folder, base string) {
	without := ""
	text, err := a.git.Run(ctx, folder, "rev-list", "--count", "refs/heads/"+base+"..HEAD")
	if ahead, _ := strconv.Atoi(text); err == nil && ahead > 0 { // digits, by git
		without = ", without " + term.Count(ahead, "commit") + " of HEAD"
	}
	a.say("no branch is checked out in %s; the task starts from the last commit of %s%s", folder, base, without)
}

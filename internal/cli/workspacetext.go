package cli

import (
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/repo/checkouts"
)

func workspaceTable(rows []workspaceRow) string {
	cells := make([][]string, 0, len(rows))
	for _, r := range rows {
		mark, kind := "", "no repository"
		if r.Current {
			mark = "current"
		}
		if r.Repository {
			kind = "git"
		}
		cells = append(cells, []string{r.Name, kind, term.Dash(r.Branch), mark})
	}
	return term.Table([]string{"WORKSPACE", "KIND", "BRANCH", ""}, cells)
}

func workspaceText(w checkouts.Info, now time.Time) string {
	state, files := "", term.Count(w.Files, "tracked file")
	if w.Repository && !w.Bare {
		state = "clean"
	}
	if w.Dirty {
		state = "changed"
	}
	if !w.Repository {
		files = term.Count(w.Files, "file") + ", no git repository"
	}
	if w.AtLeast {
		files = "at least " + files
	}
	var commits [][]string
	for _, c := range w.Commits {
		commits = append(commits, []string{c.ID, term.Ago(now, c.Time), c.Author, c.Subject})
	}
	text := term.Facts(w.Name, "path", term.Plain(w.Path), "branch", w.Branch, "state", state, "files", files)
	if len(commits) > 0 {
		text += "\n" + term.Table([]string{"COMMIT", "AGE", "AUTHOR", "SUBJECT"}, commits)
	}
	return text
}

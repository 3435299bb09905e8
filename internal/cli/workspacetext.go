package cli

import (
	"time"

	"github.com/longshift/longshift/internal/projects"
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
		cells = append(cells, []string{r.Name, kind, dash(r.Branch), mark})
	}
	return table([]string{"WORKSPACE", "KIND", "BRANCH", ""}, cells)
}

func workspaceText(w projects.Info, now time.Time) string {
	state, files := "", count(w.Files, "tracked file")
	if w.Repository && !w.Bare {
		state = "clean"
	}
	if w.Dirty {
		state = "changed"
	}
	if !w.Repository {
		files = count(w.Files, "file") + ", no git repository"
	}
	if w.AtLeast {
		files = "at least " + files
	}
	var commits [][]string
	for _, c := range w.Commits {
		commits = append(commits, []string{c.ID, ago(now, c.Time), c.Author, c.Subject})
	}
	text := facts(w.Name, "path", plain(w.Path), "branch", w.Branch, "state", state, "files", files)
	if len(commits) > 0 {
		text += "\n" + table([]string{"COMMIT", "AGE", "AUTHOR", "SUBJECT"}, commits)
	}
	return text
}

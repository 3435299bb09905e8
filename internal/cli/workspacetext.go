package cli

import (
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/repo/checkouts"
)

func workspaceTable(rows []workspaceRow) string {
	return term.TableOf([]string{"WORKSPACE", "KIND", "BRANCH", ""}, rows, func(r workspaceRow) []string {
		mark, kind := "", "no repository"
		if r.Current {
			mark = "current"
		}
		if r.Repository {
			kind = "git"
		}
		return []string{r.Name, kind, term.Dash(r.Branch), mark}
	})
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
	text := term.Facts(w.Name, "path", term.Plain(w.Path), "branch", w.Branch, "state", state, "files", files)
	if len(w.Commits) > 0 {
		head := []string{"COMMIT", "AGE", "AUTHOR", "SUBJECT"}
		text += "\n" + term.TableOf(head, w.Commits, func(c checkouts.Commit) []string {
			return []string{c.ID, term.Ago(now, c.Time), c.Author, c.Subject}
		})
	}
	return text
}

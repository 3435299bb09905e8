package script

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
)

// choose returns the index of the entry for the session.
func (sc Scenario) choose(s agent.Session) (int, error) {
	counted := map[string]int{}
	for i, e := range sc.Sessions {
		if !e.fits(s) {
			continue
		}
		if e.Nth == 0 {
			return i, nil
		}
		n, seen := counted[e.group()]
		if !seen {
			var err error
			if n, err = count(s, e.group()); err != nil {
				return 0, err
			}
			counted[e.group()] = n
		}
		if e.Nth == n {
			return i, nil
		}
	}
	what := "role " + string(s.Role)
	if id := asked(s.Prompt); id != "" {
		what += ", deliverable " + id
	}
	return 0, fault.New(fault.Input, "the scenario has no session for %s", what).WithHint("add one to the scenario")
}

func (e Entry) fits(s agent.Session) bool {
	return (e.Role == "" || e.Role == s.Role) && (e.Deliverable == "" || names(s.Prompt, e.Deliverable)) &&
		strings.Contains(s.Prompt, e.Match)
}

// group identifies the sessions that are counted together.
func (e Entry) group() string { return string(e.Role) + "/" + e.Deliverable + "/" + e.Match }

// last returns the end of a prompt, with what to do now. The plan before it names all deliverables.
func last(prompt string) string {
	if i := strings.LastIndex(prompt, "\n# Now\n"); i >= 0 {
		return prompt[i:]
	}
	return prompt
}

// names reports whether the prompt asks for the deliverable. FEAT-10 does not match FEAT-1.
func names(prompt, id string) bool {
	return regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(id) + `($|[^\w-])`).MatchString(last(prompt))
}

var anyID = regexp.MustCompile(`\b[A-Z][A-Z0-9_]*-[0-9]{3,}\b`)

// asked returns the deliverable that the prompt asks for, for an error.
func asked(prompt string) string { return anyID.FindString(last(prompt)) }

// countFile is in the workspace's git directory, so that the count belongs to the task and is removed with the workspace.
const countFile = "longshift-script.json"

// count returns the session's number within its group, from 1. A session that was counted before keeps its number.
func count(s agent.Session, group string) (int, error) {
	dir, err := gitDir(s.Dir)
	if err != nil {
		return 0, fault.New(fault.Input, "the scenario counts sessions (nth), but %w", err).WithHint("tell them apart by deliverable or match")
	}
	file := filepath.Join(dir, countFile)
	seen := map[string][]string{}
	if _, err := readJSON(file, &seen); err != nil {
		return 0, err
	}
	for i, id := range seen[group] {
		if id == s.ID {
			return i + 1, nil
		}
	}
	seen[group] = append(seen[group], s.ID)
	return len(seen[group]), writeJSON(file, seen)
}

// gitDir finds the workspace's git directory: .git, or the directory that a worktree's .git file names.
func gitDir(dir string) (string, error) {
	path := filepath.Join(dir, ".git")
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errors.New("the workspace is no git checkout")
	case err != nil:
		return "", err
	case info.IsDir():
		return path, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	to, found := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if !found {
		return "", errors.New("the workspace's .git file is not one of a worktree")
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	return to, nil
}

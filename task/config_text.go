package task

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	modelName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]*$`)
	branchName   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/+#@-]*$`)
	reviewerName = regexp.MustCompile("^" + OwnerForm + "(/[A-Za-z0-9][A-Za-z0-9._-]*)?$")
)

func wrongModel(s string) string {
	if !modelName.MatchString(s) {
		return "is no model name"
	}
	return ""
}

func wrongWorker(s string) string {
	agent, model, named := strings.Cut(s, "/")
	switch {
	case s == "":
		return ""
	case !slices.Contains(Agents(), agent):
		return "names no agent; there are " + oneOf(Agents())
	case named && wrongModel(model) != "":
		return "names no model behind the agent"
	}
	return ""
}

func wrongCommand(s string) string {
	if strings.ContainsRune(s, 0) {
		return "holds a null byte"
	}
	return ""
}

func wrongFolder(s string) string {
	switch {
	case s == "":
		return ""
	case s[0] == '/' || s[0] == '-' || s[0] == ':' || s[0] == '~' || strings.ContainsAny(s, "\\*?[\x00\n"):
		return "is no plain path inside the repository"
	case path.Clean(s) == "." || path.Clean(s) == ".." || strings.HasPrefix(path.Clean(s), "../"):
		return "is not a folder inside the repository"
	case path.Clean(s) == ".git" || strings.HasPrefix(path.Clean(s), ".git/"):
		return "belongs to git"
	}
	return ""
}

func wrongBranchPrefix(s string) string { return wrongBranch(strings.TrimSuffix(s, "/")) }

// wrongBranch rejects what git check-ref-format does, and a little more.
func wrongBranch(s string) string {
	if !branchName.MatchString(s) || strings.Contains(s, "..") || strings.Contains(s, "//") || strings.Contains(s, "@{") ||
		strings.HasSuffix(s, ".") || strings.HasSuffix(s, "/") || strings.HasPrefix(s, "refs/") {
		return "is no branch name"
	}
	for part := range strings.SplitSeq(s, "/") {
		if strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return "is no branch name"
		}
	}
	return ""
}

func wrongLabel(s string) string {
	if strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\n\r\x00,") {
		return "is no label"
	}
	return ""
}

func wrongReviewer(s string) string {
	if !reviewerName.MatchString(s) {
		return "is no user or team name"
	}
	return ""
}

func wrongProfile(s string) string {
	if !slices.Contains(Profiles(), s) {
		return "is no tool chain that is known"
	}
	return ""
}

// processName matches a name that is no pattern for pkill, and no path or option.
var processName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]+$`)

func wrongProcess(s string) string {
	if !processName.MatchString(s) {
		return "is no plain name of a process"
	}
	return ""
}

// commandWords matches a command pattern of plain words. A pattern with shell syntax would not match the command it describes.
var commandWords = regexp.MustCompile(`^[A-Za-z0-9_./@:+=,-]+( [A-Za-z0-9_./@:+=,-]+)*( \*)?$`)

func wrongPattern(s string) string {
	if !commandWords.MatchString(s) {
		return "is no list of plain words"
	}
	return ""
}

func wrongGlob(s string) string {
	switch clean := path.Clean(s); {
	case s == "" || s[0] == '/' || s[0] == '~' || s[0] == '!' || strings.ContainsAny(s, "\\\x00\n"):
		return "is no path inside the repository"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "leads out of the repository"
	}
	return ""
}

func wrongScenario(s string) string {
	if s != "" && strings.TrimSpace(s) == "" || strings.ContainsRune(s, 0) {
		return "is no scenario"
	}
	return ""
}

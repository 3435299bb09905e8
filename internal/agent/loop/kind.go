package loop

import (
	"slices"
	"strings"
)

// kind is the possible effect of a call. A wrong guess makes the count only a little too high or too low.
type kind int

const (
	changes kind = iota // may change something; the default for unknown tools
	reads               // changes nothing that another call could see
	waits               // polls something that is running
)

func isShell(tool string) bool {
	return slices.Contains([]string{"bash", "shell", "run_command", "local_shell", "exec_command"}, strings.ToLower(tool))
}

func kindOf(tool string, a arguments) kind {
	switch strings.ToLower(tool) {
	case "read", "grep", "glob", "ls", "list", "notebookread", "webfetch", "websearch", "toolsearch", "todoread", "todowrite",
		"read_file", "read_lines", "list_dir", "find_files", "search", "get_file_outline", "preview_patch", "command_output",
		"deliverable_list":
		return reads
	case "bashoutput", "taskoutput", "manage_process":
		return waits
	}
	switch {
	case !isShell(tool):
	case sleeps(a.command):
		return waits
	case onlyReads(a.command):
		return reads
	}
	return changes
}

// readers are programs that only read. Some can write with certain options, subcommands or redirections; onlyReads checks for those.
var readers = strings.Fields(`cat head tail less more ls tree pwd cd wc file stat du df which type whoami id date echo printf true false
	grep egrep fgrep rg ag find fd sort uniq cut tr nl diff cmp comm jq yq sed awk env printenv ps sleep test [ basename dirname realpath
	pytest mypy eslint shellcheck golangci-lint`)

// checkers are subcommands with which a program only reads, builds or tests.
var checkers = map[string][]string{
	"git":    strings.Fields("status log diff show blame grep ls-files rev-parse branch describe shortlog remote"),
	"go":     strings.Fields("test vet build list env doc version"),
	"cargo":  strings.Fields("test check build clippy tree metadata"),
	"npm":    strings.Fields("test ls view outdated"),
	"pnpm":   strings.Fields("test ls"),
	"yarn":   strings.Fields("test"),
	"make":   strings.Fields("test check lint build"),
	"mvn":    strings.Fields("test verify"),
	"gh":     strings.Fields("run pr issue"),
	"docker": strings.Fields("ps logs"),
}

// onlyReads reports whether a command line certainly changes no file. It does not parse the shell language: each part must start with a
// known program, and nothing may be redirected to a file.
func onlyReads(line string) bool {
	line = strings.NewReplacer("2>&1", "", "2>/dev/null", "", ">/dev/null", "", "> /dev/null", "").Replace(line)
	if strings.TrimSpace(line) == "" || strings.ContainsAny(line, ">`") || strings.Contains(line, "$(") {
		return false
	}
	for _, option := range []string{" -i", " --in-place", " -delete", " -exec", " -fprint", " --fix", " -w ", " -o "} {
		if strings.Contains(line, option) {
			return false
		}
	}
	parts := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|&;\n", r) })
	return !slices.ContainsFunc(parts, func(part string) bool { return !partReads(part) })
}

func partReads(part string) bool {
	words := strings.Fields(part)
	for len(words) > 0 && strings.Contains(words[0], "=") {
		words = words[1:]
	}
	if len(words) == 0 {
		return true
	}
	if slices.Contains(readers, words[0]) {
		return true
	}
	return len(words) > 1 && slices.Contains(checkers[words[0]], words[1])
}

// sleeps reports whether a command line only waits.
func sleeps(line string) bool {
	words := strings.Fields(line)
	return len(words) == 2 && words[0] == "sleep"
}

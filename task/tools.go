package task

import (
	"regexp"
	"slices"
	"strings"
)

// Tools that agents may use besides those for files and commands.
const (
	ToolTask   = "Task"      // sub-agents of an implementer
	ToolSearch = "WebSearch" // the search that the model's vendor runs
	toolFetch  = "WebFetch"  // of pages, in the sandbox; always with a host
)

// DefaultTools are the tools of a task whose settings name none.
func DefaultTools() []string { return []string{ToolTask, ToolSearch} }

// Allows reports whether agents may use a tool other than WebFetch.
func (t ToolSettings) Allows(tool string) bool {
	if t.Allow == nil { // a task of an earlier release
		return slices.Contains(DefaultTools(), tool)
	}
	return slices.Contains(t.Allow, tool)
}

// Pages returns what WebFetch may read: hosts, with a path below which the pages are.
func (t ToolSettings) Pages() (pages []string) {
	for _, tool := range t.Allow {
		if m := fetchPattern.FindStringSubmatch(tool); m != nil {
			pages = append(pages, m[1])
		}
	}
	return pages
}

// fetchPattern matches WebFetch(https://host/path/*).
var fetchPattern = regexp.MustCompile(`^` + toolFetch + `\(https://([a-z0-9-]+(?:\.[a-z0-9-]+)+(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*)/\*\)$`)

func wrongTool(s string) string {
	if s != ToolTask && s != ToolSearch && !fetchPattern.MatchString(s) {
		return "is no tool that can be allowed"
	}
	return ""
}

// PageWithin reports whether a page, or everything below it, lies in a grant: a host with its subdomains, or what is below a path there.
func PageWithin(grant, page string) bool {
	domain, path, _ := strings.Cut(grant, "/")
	under, rest, _ := strings.Cut(page, "/")
	return (under == domain || strings.HasSuffix(under, "."+domain)) && strings.HasPrefix(rest+"/", strings.TrimPrefix(path+"/", "/"))
}

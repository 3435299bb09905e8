package marker

import (
	"strings"

	"github.com/longshift/longshift/task"
)

// kinds are all markers, allowed or not, in a fixed order.
var kinds = [...]task.MarkerKind{task.Note, task.Found, task.SpecIssue, task.PlanComplete, task.Progress, task.Done, task.Blocking,
	task.Approved, task.RequestChanges, task.ToBeDiscussed}

// Allowed returns the markers that a role may use. An unknown role may use none.
func Allowed(role task.Role) []task.MarkerKind {
	switch role {
	case task.Planner:
		return []task.MarkerKind{task.SpecIssue, task.PlanComplete}
	case task.Implementer:
		return []task.MarkerKind{task.Note, task.Found, task.SpecIssue, task.Progress, task.Done, task.Blocking}
	case task.Reviewer:
		return []task.MarkerKind{task.Found, task.SpecIssue, task.Approved, task.RequestChanges}
	case "auditor":
		return []task.MarkerKind{task.ToBeDiscussed}
	}
	return nil
}

// nextTag returns the index of the first < in s that may start an opening tag, or its length.
func nextTag(s string) int {
	at := 0
	for {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			return len(s)
		}
		at += i
		if at+1 == len(s) || s[at+1] >= 'A' && s[at+1] <= 'Z' {
			return at
		}
		at++
	}
}

// openingTag returns the marker whose opening tag s starts with, and whether the tag is complete.
func openingTag(s string) (kind task.MarkerKind, whole bool) {
	s = s[1:]
	for _, k := range kinds {
		if name := string(k); strings.HasPrefix(s, name) && len(s) > len(name) && s[len(name)] == '>' {
			return k, true
		} else if len(s) <= len(name) && strings.HasPrefix(name, s) {
			kind = k
		}
	}
	return kind, false
}

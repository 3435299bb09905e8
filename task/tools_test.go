package task

import (
	"slices"
	"testing"
)

func TestToolNames(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{
		"Task": true, "WebSearch": true, "WebFetch(https://docs.example/*)": true, "WebFetch(https://a.docs.example/x/y.z/*)": true,
		"WebFetch": false, "WebFetch(*)": false, "WebFetch(https://*/*)": false, "WebFetch(http://docs.example/*)": false, "WebFetch(https://docs.example)": false,
		"WebFetch(https://docs.example:8443/*)": false, "WebFetch(https://a@docs.example/*)": false, "WebFetch(https://docs.example/../*)": false,
		"WebFetch(https://localhost/*)": false, "WebFetch(https://Docs.example/*)": false, "Skill": false, "Bash": false, "task": false, "": false,
	} {
		if got := wrongTool(name) == ""; got != known {
			t.Errorf("%q: known %t", name, got)
		}
	}
	s := ToolSettings{Allow: []string{"WebFetch(https://docs.example/*)", "Task", "WebFetch(https://go.example/ref/*)"}}
	if got := s.Pages(); !slices.Equal(got, []string{"docs.example", "go.example/ref"}) {
		t.Errorf("pages %q", got)
	}
	if !s.Allows(ToolTask) || s.Allows(ToolSearch) || !(ToolSettings{}).Allows(ToolSearch) || (ToolSettings{Allow: []string{}}).Allows(ToolTask) {
		t.Error("allowed tools")
	}
}

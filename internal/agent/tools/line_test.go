package tools

import "testing"

func TestLine(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"path":"loop.go","from":288,"to":350}`:                   "a_tool loop.go 288-350",
		`{"path":"loop.go","from":288}`:                            "a_tool loop.go",
		`{"command":"go test\n ./..."}`:                            "a_tool go test ./...",
		`{"id":"FIX-001","status":"passed","text":"not this one"}`: "a_tool FIX-001 passed",
		`{"text":"a note"}`:                                        "a_tool a note",
		`{"path":7,"pattern":"x"}`:                                 "a_tool x",
		`[]`:                                                       "a_tool",
	} {
		if got := Line("a_tool", []byte(arguments)); got != want {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}

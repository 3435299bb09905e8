package nearest

import "testing"

func TestName(t *testing.T) {
	known := []string{"budget", "base", "detach"}
	for given, want := range map[string]string{"budgt": "budget", "Base": "base", "dettach": "detach", "budget": "budget", "": "", "image": "", "b": "", "baes": "base", "nose": "", "tedach": "detach"} {
		if got := Name(given, known); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	if got := Within(1, "bdgt", known); got != "" {
		t.Errorf("%s is two edits away", got)
	}
	if got := Within(1, "budgt", known); got != "budget" {
		t.Errorf("one edit away: %q", got)
	}
	if Name("x", nil) != "" {
		t.Error("a name out of nothing")
	}
}

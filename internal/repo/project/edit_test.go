package project

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

func TestEditChangesNothingElse(t *testing.T) {
	t.Parallel()
	check, mode := Change{"check", "make test # all: of it"}, Change{"approval.mode", "required"}
	for _, tt := range []struct {
		name, file string
		changes    []Change
		want       string
	}{
		{"comments and blank lines", "# head\n\n\nsetup:   a   # why\n# above\ncheck: b  # line\n# foot\n\niterations: 0x10 # hex\n# the end\n", []Change{check, {"iterations", 5}},
			"# head\n\n\nsetup:   a   # why\n# above\ncheck: 'make test # all: of it'  # line\n# foot\n\niterations: 5 # hex\n# the end\n"},
		{"quotes stay", "check: \"b \\\" c\" # x\nsetup: 'it''s'\nspecs: 'x'\n", []Change{{"check", "d"}, {"setup", "e"}, {"specs", ""}},
			"check: \"d\" # x\nsetup: 'e'\nspecs: ''\n"},
		{"a text that looks like something else", "setup: a\n", []Change{{"setup", "true"}, {"check", "- x"}, {"specs", "ünï"}}, "setup: \"true\"\ncheck: '- x'\nspecs: ünï\n"},
		{"a new key goes behind the last, before the comments that follow", "setup: a # c\n\n# later: b\n", []Change{{"check", "go test ./..."}},
			"setup: a # c\ncheck: go test ./...\n\n# later: b\n"},
		{"a new group", "setup: a", []Change{mode, {"approval.after", "5m"}, {"notify.error", false}},
			"setup: a\napproval:\n  mode: required\n  after: 5m\nnotify:\n  error: false"},
		{"into a group, with its indentation", "approval:\n      after: 5m # c\n      # end\nsetup: a\n", []Change{mode}, "approval:\n      after: 5m # c\n      mode: required\n      # end\nsetup: a\n"},
		{"flow style", "approval: {after: 5m, again: true} # c\npullRequest: {\n  labels: [a, 'b]'], # }\n  draft: true,\n}\nbudget: { }\n",
			[]Change{mode, {"approval.after", "7m"}, {"pullRequest.follow", false}, {"budget.cost", 2.5}},
			"approval: {after: 7m, again: true, mode: required} # c\npullRequest: {\n  labels: [a, 'b]'], # }\n  draft: true, follow: false,\n}\nbudget: {cost: 2.5 }\n"},
		{"all in braces", "{setup: a b, check: c}\n", []Change{{"setup", "x, y"}, mode, {"specs", "d"}}, "{setup: 'x, y', check: c, approval: {mode: required}, specs: d}\n"},
		{"JSON", "{\n  \"setup\": \"a\",\n  \"budget\": {\"cost\": 5}\n}\n", []Change{{"setup", "b"}, {"check", "c"}, {"budget.time", "1h"}, {"iterations", 3}},
			"{\n  \"setup\": \"b\",\n  \"budget\": {\"cost\": 5, \"time\": \"1h\"}, \"check\": \"c\", \"iterations\": 3\n}\n"},
		{"lines after a bar", "setup: |- # why\n  a\n\n    b # no comment\n\n# c\ncheck: >\n  x\n  y\n", []Change{{"setup", "d"}, {"check", "e"}}, "setup: d # why\n\n# c\ncheck: e\n"},
		{"behind lines after a bar", "check: |\n  a\n  b\n", []Change{{"setup", "d"}}, "check: |\n  a\n  b\nsetup: d\n"},
		{"a value over lines", "setup: a\n  b\n\n  c # x\ncheck: \"a\n  b\"\n", []Change{{"setup", "d"}, {"check", "e"}}, "setup: d # x\ncheck: \"e\"\n"},
		{"no value", "setup:\ncheck: # c\napproval: # d\nspecs: ~\nbudget: null # e\n", []Change{{"setup", "a"}, {"check", "b"}, mode, {"specs", "s"}, {"budget.cost", 3.0}},
			"setup: a\ncheck: b # c\napproval: {mode: required} # d\nspecs: s\nbudget: {cost: 3} # e\n"},
		{"no value at the end", "approval:\n  mode: auto\n  after:\nsetup:", []Change{{"approval.again", true}, {"check", "b"}}, "approval:\n  mode: auto\n  after:\n  again: true\nsetup:\ncheck: b"},
		{"line ends of Windows", "# a\r\nsetup: b # c\r\n\r\n# d\r\n", []Change{{"setup", "x"}, mode}, "# a\r\nsetup: x # c\r\napproval:\r\n  mode: required\r\n\r\n# d\r\n"},
		{"no line end", "setup: a", []Change{{"setup", "b"}, {"check", "c"}}, "setup: b\ncheck: c"},
		{"empty", "", []Change{{"setup", "b"}, mode}, "setup: b\napproval:\n  mode: required\n"},
		{"only comments", "# a\n\n# b", []Change{{"setup", "b"}, {"check", "c"}}, "# a\n\n# b\nsetup: b\ncheck: c\n"},
		{"document marks", "---\n# a\nsetup: b\n...\n", []Change{{"setup", "c"}, {"check", "d"}}, "---\n# a\nsetup: c\ncheck: d\n...\n"},
		{"only a document mark", "--- # a\n", []Change{{"setup", "c"}}, "--- # a\nsetup: c\n"},
		{"byte order mark", "\ufeffsetup: ä # c\ncheck: x\n", []Change{{"setup", "b"}, {"check", "y"}}, "\ufeffsetup: b # c\ncheck: y\n"},
		{"quoted keys and wide letters", "\"setup\" : 'ä漢' # ü\n'check': x\n", []Change{{"setup", "b"}, {"check", "y"}}, "\"setup\" : 'b' # ü\n'check': y\n"},
		{"last key is a list", "pullRequest:\n  labels:\n  - a\n  - b # c\n", []Change{{"pullRequest.follow", false}, {"setup", "x"}}, "pullRequest:\n  labels:\n  - a\n  - b # c\n  follow: false\nsetup: x\n"},
		{"last key is a list in brackets", "pullRequest:\n  labels: [\"a]\", # ]\n    b]\n", []Change{{"setup", "x"}}, "pullRequest:\n  labels: [\"a]\", # ]\n    b]\nsetup: x\n"},
		{"several lines as a value", "setup: a\n", []Change{{"setup", "a\n\tb"}}, "setup: \"a\\n\\tb\"\n"},
		{"nothing", "setup: a\n", nil, "setup: a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Edit([]byte(tt.file), tt.changes)
			if err != nil {
				t.Fatal(err, fault.HintOf(err))
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, want string }{
		"no YAML":            {"setup: [", "not YAML"},
		"wrong value":        {"iterations: 0\n", "line 1: iterations is 0"},
		"anchors":            {"setup: &a x\ncheck: *a\n", "line 1: anchors and aliases are not supported"},
		"two documents":      {"setup: a\n---\nsetup: b\n", "more than one document"},
		"keys as questions":  {"? setup\n: a\n", ""}, // is changed, or refused, and never wrong
		"line ends of 1984":  {"# a\rsetup: b\r", "line ends or letters that an edit can't keep"},
		"line ends of IBM":   {"setup: b # \u0085\n", "line ends or letters"},
		"kept line ends":     {"setup: b\ncheck: |+\n  a\n\n", "check is written in a form that can't be changed safely"},
		"an explicit null":   {"null # nothing\n", "setup is written in a form"},
		"an unknown setting": {"setup: a\nfancy: b\n", "line 2: fancy is not a known key"},
	} {
		got, err := Edit([]byte(tt.file), []Change{{"setup", "x"}, {"specs", "y"}})
		if tt.want == "" && err == nil {
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) || fault.HintOf(err) == "" || fault.KindOf(err) != fault.Input {
			t.Errorf("%s: %q, %v; %s, want %q", name, got, err, fault.HintOf(err), tt.want)
		}
	}
}

// An edit keeps the other values of any file, or fails.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{"setup: a\n", "{setup: a, approval: {mode: auto}}", "# x\napproval:\n  mode: auto # c\n", "setup: |\n  a\n",
		"check: 'a''b'\r\n", "setup: a\n  b\ncheck:\n"} {
		f.Add(seed, "go test # x")
	}
	f.Fuzz(func(t *testing.T, file, value string) {
		changes := []Change{{"setup", value}, {"approval.mode", "none"}, {"iterations", 7}}
		got, err := Edit([]byte(file), changes)
		if err != nil {
			return
		}
		again, err := Edit(got, changes)
		if err != nil || string(again) != string(got) {
			// A form may only be refused the second time where the first edit has not touched it.
			t.Errorf("%q became %q, then %q, %v", file, got, again, err)
		}
		if comments := strings.Count(file, "\n#"); strings.Count(string(got), "\n#") < comments && !strings.Contains(file, "|") &&
			!strings.Contains(file, ">") && !strings.ContainsAny(file, "\"'") {
			t.Errorf("%q lost a comment: %q", file, got)
		}
	})
}

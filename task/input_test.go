package task

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

func TestParseInput(t *testing.T) {
	t.Parallel()
	got, err := ParseInput([]byte(`{"repository":"octo/hello","task":"fix it","base":"release/1.2","spec":["SPEC.md","docs/spec"],"issue":{"forge":"github","number":7,"title":"t","body":"b","url":"https://x/7"},
		"requestedBy":{"name":"ada","via":"cli"},"config":{"budget":{"cost":5},"pullRequest":{"labels":[]},"approval":null}}`))
	if err != nil {
		t.Fatal(err)
	}
	five := 5.0
	want := Input{Repository: "octo/hello", Task: "fix it", Base: "release/1.2", Spec: []string{"SPEC.md", "docs/spec"}, Issue: &Issue{Forge: "github", Number: 7, Title: "t", Body: "b", URL: "https://x/7"},
		RequestedBy: &Person{Name: "ada", Via: "cli"}, Config: &Config{Budget: &BudgetConfig{Cost: &five}, PullRequest: &PullRequestConfig{Labels: []string{}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := ParseInput([]byte(`{"repository":"/srv/Notes for Zoë","task":"fix it"}`)); err != nil {
		t.Errorf("a path with a space: %v", err)
	}
	if r, err := ParseRepository("ada_acme/web"); err != nil || r.Owner != "ada_acme" || r.Name != "web" {
		t.Errorf("a user that an enterprise manages: %+v, %v", r, err)
	}
}

func TestParseInputRefuses(t *testing.T) {
	t.Parallel()
	valid := `"repository":"octo/hello","task":"fix it"`
	for name, tt := range map[string]struct{ in, message, hint string }{
		"empty":            {``, "input: not JSON: it is empty", "give a JSON object such as " + inputExample},
		"text":             {`"fix it"`, `input: is the text "fix it", not an object`, "give a JSON object such as " + inputExample},
		"not json":         {`{repository: x}`, "input: not JSON: line 1: invalid character 'r'", "give a JSON object"},
		"no repository":    {`{"task":"fix it"}`, "input: repository is missing", "give owner/name"},
		"empty repository": {`{"repository":"","task":"fix it"}`, "input: repository is missing", "give owner/name"},
		"bad repository":   {`{"repository":"octo hello","task":"fix it"}`, `input: repository "octo hello" is not a repository name`, "give owner/name"},
		"two lines":        {`{"repository":"/srv/a\nb","task":"fix it"}`, `input: repository "/srv/a\nb" is not a repository name`, "give owner/name"},
		"password":         {`{"repository":"https://u:secret@h/o/r","task":"fix it"}`, `input: repository "https://u:xxxxx@h/o/r" holds a password`, "give owner/name"},
		"no task":          {`{"repository":"octo/hello"}`, "input: task is missing", "say in words"},
		"blank task":       {`{"repository":"octo/hello","task":" \n"}`, "input: task is missing", "say in words"},
		"long task":        {`{"repository":"octo/hello","task":"` + strings.Repeat("x", MaxTask+1) + `"}`, "input: task has 32769 bytes", "give at most 32768"},
		"task type":        {`{"repository":"octo/hello","task":["fix"]}`, "input: task is a list", "give text, in quotes"},
		"unknown key":      {`{` + valid + `,"repo":"x"}`, "input: repo is not a known key", "use repository, task, spec, sync, words, images, review, base, fork, issue, requestedBy, room, config or origin"},
		"near key":         {`{` + valid + `,"bas":"main"}`, "input: bas is not a known key", "did you mean base?"},
		"key of two lines": {`{` + valid + `,"a\nb":1}`, `input: "a\nb" is not a known key`, "use repository"},
		"case matters":     {`{` + valid + `,"Base":"main"}`, "input: Base is not a known key", "did you mean base?"},
		"duplicate":        {`{` + valid + `,"task":"other"}`, "input: task appears twice", "keep one of them"},
		"fork of a folder": {`{"repository":"/srv/r","task":"fix it","fork":true}`, "input: fork is true, and the repository is a folder", "give a repository on GitHub"},
		"base":             {`{` + valid + `,"base":"--upload-pack=x"}`, `input: base is "--upload-pack=x", which is no branch name`, "give a branch"},
		"issue type":       {`{` + valid + `,"issue":7}`, "input: issue is 7", "give an object with the keys forge, number, key, title, body, url"},
		"issue number":     {`{` + valid + `,"issue":{"number":-1}}`, "input: issue.number is -1", "give the number of the issue"},
		"issue number 1.5": {`{` + valid + `,"issue":{"number":1.5}}`, "input: issue.number is 1.5", "give a whole number"},
		"config key":       {`{` + valid + `,"config":{"budget":{"costs":1}}}`, "input: config.budget.costs is not a known key", "did you mean cost?"},
		"config type":      {`{` + valid + `,"config":{"approval":{"after":20}}}`, "input: config.approval.after is 20", `give a duration such as "20m" or "2h"`},
		"config value":     {`{` + valid + `,"config":{"thinking":512}}`, "input: config.thinking is 512", "give a whole number from 1024 to 1000000"},
		"config list":      {`{` + valid + `,"config":{"pullRequest":{"labels":["a",7]}}}`, "input: config.pullRequest.labels[1] is 7", "give text, in quotes"},
		"config label":     {`{` + valid + `,"config":{"pullRequest":{"labels":["a",""]}}}`, `input: config.pullRequest.labels item 2 is "", which is no label`, "give labels"},
		"spec, absolute":   {`{` + valid + `,"spec":["SPEC.md","/etc/passwd"]}`, `input: spec item 2 is "/etc/passwd", which is no path in a repository`, "give a file or a folder"},
		"spec, outside":    {`{` + valid + `,"spec":["../SPEC.md"]}`, `input: spec item 1 is "../SPEC.md"`, "give a file or a folder"},
		"spec, a pattern":  {`{` + valid + `,"spec":["docs/*.md"]}`, `input: spec item 1 is "docs/*.md"`, "give a file or a folder"},
		"spec, everything": {`{` + valid + `,"spec":["."]}`, `input: spec item 1 is "."`, "give a file or a folder"},
		"words, no spec":   {`{` + valid + `,"words":true}`, "input: words is true, and there is no spec", "name the files of the specification in spec, or leave words out"},
		"sync, no spec":    {`{` + valid + `,"sync":true}`, "input: sync is true, and there is no spec", "name the files of the specification"},
		"spec, many":       {`{` + valid + `,"spec":["` + strings.Repeat(`a","`, 20) + `b"]}`, "input: spec has 21 items", "give at most 20"},
		"deep":             {`{` + valid + `,"config":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "nested more than 16 deep", "give a JSON object"},
		"too big":          {`{"task":"` + strings.Repeat("x", MaxInput) + `"}`, "input: has 262155 bytes", "give at most 262144"},
	} {
		_, err := ParseInput([]byte(tt.in))
		if err == nil || !strings.HasPrefix(err.Error(), tt.message) && !strings.Contains(err.Error(), tt.message) {
			t.Errorf("%s: got %v\nwant %s", name, err, tt.message)
			continue
		}
		if fault.KindOf(err) != fault.Input || !strings.HasPrefix(fault.HintOf(err), tt.hint) {
			t.Errorf("%s: kind %s, hint %q, want %q", name, fault.KindOf(err), fault.HintOf(err), tt.hint)
		}
		if strings.ContainsAny(err.Error()+fault.HintOf(err), "\n\r") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: not one clean line: %q", name, err)
		}
	}
}

func TestParseInputShowsAllMistakes(t *testing.T) {
	t.Parallel()
	_, err := ParseInput([]byte(`{"repository":"x","config":{"quota":"never","errors":-1},"issue":{"number":"7"}}`))
	want := "input: issue.number is the text \"7\"; give a whole number\n" +
		"input: repository \"x\" is not a repository name; give owner/name, a git URL without a password, or an absolute path\n" +
		"input: task is missing; say in words what to do\n" +
		"input: config.errors is -1; give a whole number from 0 to 100\n" +
		"input: config.quota is \"never\"; use wait, end or next"
	if err == nil || err.Error() != want || fault.KindOf(err) != fault.Input {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
	_, err = ParseInput([]byte(`{` + strings.TrimSuffix(strings.Repeat(`"x":1,`, 1000), ",") + `}`))
	if n := strings.Count(err.Error(), "\n"); n != mostShown {
		t.Errorf("an error of %d lines", n+1)
	}
}

func FuzzParseInput(f *testing.F) {
	f.Add([]byte(`{"repository":"octo/hello","task":"fix it","config":{"budget":{"time":"2h"}}}`))
	f.Add([]byte(`{"repository":"/srv/r","task":"x","config":{"pullRequest":{"labels":["a"],"reviewers":["o/t"]},"specs":"a/b"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := ParseInput(data)
		if err != nil {
			if fault.KindOf(err) != fault.Input {
				t.Fatalf("kind %s: %v", fault.KindOf(err), err)
			}
			return
		}
		again, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseInput(again); err != nil && len(again) < MaxInput {
			t.Fatalf("what was accepted is refused as %s: %v", again, err)
		}
	})
}

package project

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func parse(t *testing.T, yaml string) task.Config {
	t.Helper()
	c, err := Parse([]byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func origin(r Resolved, key string) string {
	for _, o := range r.Origins {
		if o.Key == key {
			return o.Value + " from " + o.Origin
		}
	}
	return "not there"
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	want := Settings{Agent: "claude", Fallback: []string{}, Review: "any", Model: "sonnet", PlanModel: "opus", Thinking: 8192, Iterations: 10, Errors: 3,
		Approval: task.ApprovalSettings{Mode: "auto", After: task.Duration(20 * time.Minute)},
		Budget:   task.BudgetSettings{Cost: 20, Time: task.Duration(120 * time.Minute), PlanCost: 1},
		Env:      map[string]string{}, NeedsEnv: []string{}, Quota: "wait", FixAttempts: 3, KnownRed: "draft", Specs: "specs", Commits: "incremental", Branch: "longshift/",
		PullRequest: task.PullRequestSettings{Labels: []string{}, Reviewers: []string{}, MaxLines: 800, Follow: true, Rounds: 5,
			Batch: task.Duration(2 * time.Minute), Poll: task.Duration(5 * time.Minute)},
		Notify: task.NotifySettings{PlanReady: true, Progress: true, Complete: true, Error: true},
		Commands: task.CommandSettings{Profiles: task.DefaultProfiles(), Allow: []string{}, AllowPlanner: []string{}, AllowImplementer: []string{},
			AllowReviewer: []string{}, Ask: []string{}, Deny: []string{}, Pkill: []string{}, Questions: "person",
			Wait: task.Duration(2 * time.Minute), Expires: task.Duration(12 * time.Hour)},
		Paths: task.PathSettings{Write: []string{}, ReadOnly: []string{}, TaskWritable: []string{}, Ignore: []string{}, HideFromPlanner: []string{},
			HideFromImplementer: []string{}, HideFromReviewer: []string{}}, Tools: task.ToolSettings{Allow: []string{"Task", "WebSearch"}}, Native: task.NativeSettings{Steps: 150, ReadBytes: 512 << 10,
			Timeout: task.Duration(30 * time.Second), MaxTimeout: task.Duration(5 * time.Minute), Context: 200_000, API: "anthropic"}, OpenCode: task.OpenCodeSettings{API: "anthropic"}}
	plain := want
	plain.Commands.Profiles = []string{} // which the operator's limits fill in
	if diff := cmp.Diff(plain, Defaults()); diff != "" {
		t.Error(diff)
	}
	if err := defaults().Validate(); err != nil {
		t.Error(err)
	}
	r, err := Resolve(Limits{}, task.Config{}, task.Config{})
	if err != nil || len(r.Warnings) != 0 || !reflect.DeepEqual(r.Settings, want) {
		t.Errorf("got %+v, %v", r, err)
	}
	if len(r.Origins) != len(task.ConfigKeys()) {
		t.Errorf("%d origins", len(r.Origins))
	}
	for i, k := range task.ConfigKeys() {
		if o := r.Origins[i]; o.Key != k.Path || o.Origin != OriginDefault {
			t.Errorf("%s: %+v", k.Path, o)
		}
	}
}

func TestLaterSourcesWin(t *testing.T) {
	t.Parallel()
	repo := parse(t, "model: haiku\nbudget: {cost: 5, time: 60m}\ncheck: make test\npullRequest: {labels: [a]}\n")
	job := parse(t, "budget: {cost: 7}\npullRequest: {labels: []}\n")
	r, err := Resolve(Limits{}, repo, job)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"model": "haiku from .longshift.yaml", "planModel": "opus from default", "budget.cost": "7 from task", "budget.time": "1h from .longshift.yaml",
		"budget.planCost": "1 from default", "check": "make test from .longshift.yaml", "pullRequest.labels": " from task", "approval.after": "20m from default",
	} {
		if got := origin(r, key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if s := r.Settings; s.Budget.Cost != 7 || s.Budget.Time.Std() != time.Hour || s.Budget.PlanCost != 1 || len(s.PullRequest.Labels) != 0 || s.Model != "haiku" {
		t.Errorf("got %+v", s)
	}
	if *repo.Budget.Cost != 5 {
		t.Error("a source was changed")
	}
}

// TestModelFitsTheAgent: the model that is asked unless the settings name one depends on the API that the agent uses.
func TestModelFitsTheAgent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"agent: claude": "sonnet opus", "agent: native": "sonnet opus", "agent: codex": "gpt-5.5 gpt-5.5", "agent: codex\nmodel: gpt-5-codex": "gpt-5-codex gpt-5.5",
		"agent: native\nnative: {api: openai}\nmodel: llama3\nplanModel: llama3": "llama3 llama3",
		"agent: opencode": "sonnet opus", "agent: opencode\nopencode: {api: openai}": "gpt-5.5 gpt-5.5",
	} {
		r, err := Resolve(Limits{Agents: task.Agents()}, parse(t, text+"\n"), task.Config{})
		if got := r.Settings.Model + " " + r.Settings.PlanModel; err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// Every key that one source sets wins over the source below, whatever group it stands in.
func TestEveryKeyIsMerged(t *testing.T) {
	t.Parallel()
	full := parse(t, `{agent: script, model: m, planModel: p, thinking: 2048, iterations: 2, errors: 1, approval: {mode: none, after: 5m, again: true},
 budget: {cost: 3, time: 5m, planCost: 2}, quota: end, agents: {planner: codex, implementer: native, reviewer: codex/m}, fallback: [native], review: other, setup: s, check: c, env: {A: b}, needsEnv: [N], fixAttempts: 1, knownRed: ready, specs: d, commits: single, branch: b/,
 pullRequest: {draft: true, labels: [l], reviewers: [r], maxLines: 9, follow: false, rounds: 2, batch: 1m, poll: 1m}, notify: {planReady: false, progress: false, complete: false, error: false},
 commands: {profiles: [go], allow: [x], allowPlanner: [p], allowImplementer: [i], allowReviewer: [r], pkill: [web], ask: [a], deny: [d], destructive: true, questions: deny, wait: 1m, expires: 1h},
 paths: {write: [w], readOnly: [r], taskWritable: [t], ignore: [i], hideFromPlanner: [p], hideFromImplementer: [q], hideFromReviewer: [s]},
 tools: {allow: [WebSearch]}, native: {steps: 3, readBytes: 2048, timeout: 1m, maxTimeout: 10m, context: 9000, api: openai}, opencode: {api: openai}, scenario: demo}`)
	base := defaults()
	for _, k := range task.ConfigKeys() {
		want, set := full.Lookup(k.Path)
		if !set {
			t.Fatalf("%s is missing above", k.Path)
		}
		if got, _ := merge(base, full).Lookup(k.Path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s over the defaults: %v", k.Path, got)
		}
		if got, _ := merge(full, task.Config{Approval: &task.ApprovalConfig{}, Budget: &task.BudgetConfig{}, PullRequest: &task.PullRequestConfig{}, Notify: &task.NotifyConfig{},
			Commands: &task.CommandsConfig{}, Paths: &task.PathsConfig{}}).Lookup(k.Path); !reflect.DeepEqual(got, want) {
			t.Errorf("%s under nothing: %v", k.Path, got)
		}
	}
	if diff := cmp.Diff(defaults(), base); diff != "" {
		t.Errorf("merging changed its input: %s", diff)
	}
}

func TestToolsWithinTheGrant(t *testing.T) {
	t.Parallel()
	asked := parse(t, "tools: {allow: [Task, 'WebFetch(https://docs.example/*)', 'WebFetch(https://go.example/ref/*)', 'WebFetch(https://evil-docs.example/*)']}\n")
	for name, c := range map[string]struct {
		granted []string
		want    string
	}{
		"nothing":     {nil, "Task"},
		"hosts":       {[]string{"docs.example", "go.example/ref"}, "Task WebFetch(https://docs.example/*) WebFetch(https://go.example/ref/*)"},
		"narrow path": {[]string{"docs.example/a", "example"}, "Task WebFetch(https://docs.example/*) WebFetch(https://go.example/ref/*) WebFetch(https://evil-docs.example/*)"},
		"a star":      {[]string{"*"}, "Task"},
	} {
		r, err := Resolve(Limits{Pages: c.granted}, asked, task.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Settings.Tools.Allow, " "); got != c.want {
			t.Errorf("%s: %s", name, got)
		}
		if cut := len(r.Warnings) > 0; cut != (c.want != strings.Join(asked.Tools.Allow, " ")) {
			t.Errorf("%s: warnings %q", name, r.Warnings)
		}
	}
	if _, err := Resolve(Limits{}, asked, task.Config{Tools: &task.ToolsConfig{Allow: []string{"Skill"}}}); err == nil ||
		!strings.Contains(err.Error()+fault.HintOf(err), "use Task, WebSearch or WebFetch(https://host/*)") {
		t.Errorf("an unknown tool: %v", err)
	}
}

func TestOperatorLimitsCut(t *testing.T) {
	t.Parallel()
	limits := Limits{MaxCost: 10, MaxTime: time.Hour, MaxIterations: 5, Approval: "required"}
	r, err := Resolve(limits, parse(t, "budget: {cost: 50}\napproval: {mode: none, again: false}\n"), parse(t, "iterations: 7\nbudget: {planCost: 30}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Settings; s.Budget.Cost != 10 || s.Budget.Time.Std() != time.Hour || s.Budget.PlanCost != 10 || s.Iterations != 5 || s.Approval.Mode != "required" ||
		!s.Approval.Again {
		t.Errorf("got %+v", s)
	}
	want := []string{
		"budget.cost: 50 from .longshift.yaml is not allowed by the operator; 10 is used",
		"iterations: 7 from task is not allowed by the operator; 5 is used",
		"approval.mode: none from .longshift.yaml is not allowed by the operator; required is used",
		"approval.again: false from .longshift.yaml is not allowed by the operator; true is used",
		"budget.planCost: 30 from task is more than budget.cost; 10 is used",
	}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Error(diff)
	}
	for key, want := range map[string]string{"budget.cost": "10 from operator limit", "budget.time": "1h from operator limit",
		"budget.planCost": "10 from operator limit", "iterations": "5 from operator limit"} {
		if got := origin(r, key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

// Variables are merged one by one, and each is shown with its own origin. Those of the operator stay out of the settings.
func TestVariablesOfEverySource(t *testing.T) {
	t.Parallel()
	repo, job := parse(t, "env: {TZ: UTC, NODE_ENV: test, DEBUG: \"1\"}\nneedsEnv: [NPM_TOKEN]\n"), parse(t, "env: {DEBUG: \"\", CI_ONLY: x}\n")
	r, err := Resolve(Limits{Env: map[string]string{"TZ": "Europe/Berlin", "CC": "clang"}}, repo, job)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"NODE_ENV": "test", "DEBUG": "", "CI_ONLY": "x"}, r.Settings.Env); diff != "" {
		t.Error(diff)
	}
	for key, want := range map[string]string{"env.NODE_ENV": "test from .longshift.yaml", "env.DEBUG": " from task", "env.CI_ONLY": "x from task",
		"env.TZ": "Europe/Berlin from operator limit", "env.CC": "not there", "env": "not there", "needsEnv": "NPM_TOKEN from .longshift.yaml"} {
		if got := origin(r, key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	if want := []string{"env.TZ: UTC from .longshift.yaml is not used, for the operator sets it: Europe/Berlin"}; !reflect.DeepEqual(r.Warnings, want) {
		t.Errorf("warnings %q", r.Warnings)
	}
	if repo.Env["TZ"] != "UTC" || repo.Env["DEBUG"] != "1" {
		t.Error("a source was changed")
	}
}

func TestLessThanTheLimitStays(t *testing.T) {
	t.Parallel()
	r, err := Resolve(Limits{MaxCost: 10, Approval: "auto"}, parse(t, "budget: {cost: 2, planCost: 0.5}\napproval: {mode: required}\n"), task.Config{})
	if err != nil || r.Settings.Budget.Cost != 2 || r.Settings.Approval.Mode != "required" || len(r.Warnings) != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = Resolve(Limits{Approval: "required"}, task.Config{}, task.Config{})
	if err != nil || r.Settings.Approval.Mode != "required" || len(r.Warnings) != 0 {
		t.Errorf("a default above the floor needs no warning: %+v, %v", r.Warnings, err)
	}
}

func TestScriptAgentNeedsTheOperator(t *testing.T) {
	t.Parallel()
	script := parse(t, "agent: script\nscenario: demo\n")
	for name, tt := range map[string]struct {
		limits    Limits
		repo, job task.Config
		want      string
	}{
		"repository":       {Limits{}, parse(t, "agent: script"), task.Config{}, `.longshift.yaml: agent is "script", which the operator does not allow`},
		"task":             {Limits{}, task.Config{}, parse(t, "agent: script"), `config: agent is "script", which the operator does not allow`},
		"scenario":         {Limits{}, parse(t, "scenario: demo"), task.Config{}, ".longshift.yaml: scenario is set, but the operator does not allow the script agent"},
		"overridden":       {Limits{}, parse(t, "agent: script"), parse(t, "agent: claude"), `.longshift.yaml: agent is "script"`},
		"claude forbidden": {Limits{Agents: []string{"script"}}, task.Config{}, parse(t, "agent: claude"), `config: agent is "claude", which the operator does not allow`},
	} {
		_, err := Resolve(tt.limits, tt.repo, tt.job)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" &&
			!strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v (%s), want %s", name, err, fault.HintOf(err), tt.want)
		}
	}
	r, err := Resolve(Limits{Agents: []string{"claude", "script"}}, script, task.Config{})
	if err != nil || r.Settings.Agent != "script" || r.Settings.Scenario != "demo" {
		t.Errorf("got %+v, %v", r, err)
	}
	r, err = Resolve(Limits{Agents: []string{"script"}}, task.Config{}, parse(t, "scenario: demo"))
	if err != nil || r.Settings.Agent != "script" {
		t.Errorf("the only agent allowed is the default: %+v, %v", r.Settings, err)
	}
	r, err = Resolve(Limits{Agents: []string{"claude", "script"}}, parse(t, "scenario: demo"), task.Config{})
	if err != nil || len(r.Warnings) != 1 || r.Warnings[0] != "scenario is ignored: the agent is claude" {
		t.Errorf("got %v, %v", r.Warnings, err)
	}
}

func TestResolveChecksWhatItGets(t *testing.T) {
	t.Parallel()
	bad := task.Config{Thinking: new(5), Agent: new("gpt")}
	_, err := Resolve(Limits{}, bad, task.Config{Errors: new(-1)})
	want := ".longshift.yaml: agent is \"gpt\"; use claude, codex, opencode, native or script\nthinking is 5; give a whole number from 1024 to 1000000\nconfig: errors is -1"
	if err == nil || err.Error() != want || fault.KindOf(err) != fault.Input {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
	for _, l := range []Limits{{MaxCost: -1}, {Approval: "maybe"}, {Agents: []string{"gpt"}}} {
		if _, err := Resolve(l, task.Config{}, task.Config{}); fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" {
			t.Errorf("%+v: got %v", l, err)
		}
	}
}

// TestAgentsThatDoNothing warns of settings of agents that have no effect, and refuses agents that the operator does not allow by their key.
func TestAgentsThatDoNothing(t *testing.T) {
	t.Parallel()
	all := Limits{Agents: []string{"claude", "codex", "native"}}
	for text, want := range map[string]string{
		"fallback: [codex]":                           "fallback is ignored: quota is wait",
		"quota: next\nfallback: [codex]":              "",
		"quota: next\nfallback: [native/gpt-5.5]":     "quota is next, but fallback names no agent that uses another account: the task waits when its account is used up",
		"review: other":                               "review is other, but the settings name no other agent",
		"review: other\nfallback: [native]":           "",
		"review: other\nagents: {implementer: codex}": "",
	} {
		r, err := Resolve(all, parse(t, text+"\n"), task.Config{})
		if got := strings.Join(r.Warnings, "; "); err != nil || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for key, text := range map[string]string{"fallback": "fallback: [opencode]", "agents.reviewer": "agents: {reviewer: opencode/qwen}"} {
		_, err := Resolve(all, parse(t, text+"\n"), task.Config{})
		if want := key + ` is "opencode", which the operator does not allow`; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

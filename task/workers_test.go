package task

import (
	"reflect"
	"testing"
)

func TestWorkers(t *testing.T) {
	t.Parallel()
	base := Settings{Agent: AgentClaude, Model: "sonnet", PlanModel: "opus", Review: ReviewAny, Quota: QuotaWait}
	for name, c := range map[string]struct {
		change func(s *Settings)
		role   Role
		wrote  string
		want   []Worker
	}{
		"the task's own": {func(*Settings) {}, Implementer, "", []Worker{{"claude", "sonnet"}}},
		"planner":        {func(*Settings) {}, Planner, "", []Worker{{"claude", "opus"}}},
		"of the role":    {func(s *Settings) { s.Agents.Reviewer = "codex" }, Reviewer, "claude", []Worker{{"codex", "gpt-5.5"}}},
		"with a model":   {func(s *Settings) { s.Agents.Planner = "opencode/qwen/coder" }, Planner, "", []Worker{{"opencode", "qwen/coder"}}},
		"same API":       {func(s *Settings) { s.Agents.Planner = "native" }, Planner, "", []Worker{{"native", "opus"}}},
		"other API": {func(s *Settings) { s.Agent, s.Model, s.Agents.Planner = "codex", "gpt-5", "claude" }, Planner, "",
			[]Worker{{"claude", "opus"}}},
		"fall-back waits": {func(s *Settings) { s.Fallback = []string{"codex"} }, Implementer, "", []Worker{{"claude", "sonnet"}}},
		"fall-back": {func(s *Settings) {
			s.Quota, s.Fallback = QuotaNext, []string{"codex", "claude", "native/claude-opus-5-5"}
		}, Implementer, "",
			[]Worker{{"claude", "sonnet"}, {"codex", "gpt-5.5"}, {"native", "claude-opus-5-5"}}},
		"another reviews": {func(s *Settings) { s.Review, s.Fallback = ReviewOther, []string{"codex"} }, Reviewer, "claude", []Worker{{"codex", "gpt-5.5"}}},
		"the one set is another": {func(s *Settings) { s.Review, s.Agents.Reviewer, s.Fallback = ReviewOther, "native", []string{"codex"} }, Reviewer, "claude",
			[]Worker{{"native", "sonnet"}}},
		"another wrote": {func(s *Settings) { s.Review, s.Fallback = ReviewOther, []string{"codex"} }, Reviewer, "codex", []Worker{{"claude", "sonnet"}}},
		"nobody else":   {func(s *Settings) { s.Review = ReviewOther }, Reviewer, "claude", []Worker{{"claude", "sonnet"}}},
		"another reviews while there is quota": {func(s *Settings) { s.Review, s.Quota, s.Fallback = ReviewOther, QuotaNext, []string{"codex"} }, Reviewer, "claude",
			[]Worker{{"codex", "gpt-5.5"}, {"claude", "sonnet"}}},
	} {
		s := base
		c.change(&s)
		if got := s.Workers(c.role, c.wrote); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, wanted %v", name, got, c.want)
		}
	}
}

func TestWrongWorker(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{"": true, "codex": true, "codex/gpt-5.5": true, "opencode/meta/llama": true, "gpt": false, "codex/": false, "/m": false, "codex/ x": false} {
		if why := wrongWorker(text); (why == "") != ok {
			t.Errorf("%q: %q", text, why)
		}
	}
}

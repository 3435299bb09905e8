package agenttest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// conversation is a request with the messages, as the server reads it.
func conversation(t *testing.T, system string, messages ...any) *request {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "m", "max_tokens": 1, "system": system, "messages": messages,
		"tools": []any{map[string]any{"name": "Write"}}})
	if err != nil {
		t.Fatal(err)
	}
	var q request
	if err := json.Unmarshal(body, &q); err != nil {
		t.Fatal(err)
	}
	if err := q.validate(); err != nil {
		t.Fatal(err)
	}
	return &q
}

const cutOff = "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown.]"

func TestTurnThatIsDue(t *testing.T) {
	script := Script{Rules: []Rule{{Name: "it", Turns: []Turn{
		{Text: "First.", Tools: []Tool{{Name: "Write"}}},
		{Text: "Second.", Tools: []Tool{{Name: "Write"}}, Redo: true},
		{Text: "Third.", Tools: []Tool{{Name: "Write"}}},
		{Text: "The end."},
	}}}}
	rules, err := compile(script)
	if err != nil {
		t.Fatal(err)
	}
	go1, again := user("go"), user([]any{words("<system-reminder>x</system-reminder>"), words("go")})
	first := []any{assistant(words("First."), use("toolu_it_0_0_0")), user([]any{result("toolu_it_0_0_0", "ok")})}
	second := []any{assistant(words("Second."), use("toolu_it_1_0_0")), user([]any{result("toolu_it_1_0_0", "ok")})}
	lost := func(id string) []any {
		return []any{user([]any{result(id, cutOff)}), assistant(words("No response requested.")), again}
	}
	for name, c := range map[string]struct {
		messages [][]any
		want     int
	}{
		"start":                        {[][]any{{go1}}, 0},
		"after a call":                 {[][]any{{go1}, first}, 1},
		"two calls":                    {[][]any{{go1}, first, second}, 2},
		"cut off, not to be redone":    {[][]any{{go1, first[0]}, lost("toolu_it_0_0_0")}, 1},
		"cut off, to be redone":        {[][]any{{go1}, first, {second[0]}, lost("toolu_it_1_0_0")}, 1},
		"redone":                       {[][]any{{go1}, first, {second[0]}, lost("toolu_it_1_0_0"), {assistant(use("toolu_it_1_0_1")), user([]any{result("toolu_it_1_0_1", "ok")})}}, 2},
		"cut in the stream after text": {[][]any{{go1}, first, {assistant(words("Second.")), again}}, 1},
		"killed before the answer":     {[][]any{{go1, assistant(words("No response requested.")), again}}, 0},
		"asked again after the end":    {[][]any{{go1}, first, second, {assistant(words("The end.")), again}}, 3},
		"of another rule":              {[][]any{{go1, assistant(use("toolu_other_5_0_0")), user([]any{result("toolu_other_5_0_0", "ok")})}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var all []any
			for _, m := range c.messages {
				all = append(all, m...)
			}
			q := conversation(t, "", all...)
			for range 2 { // a retry gets the same
				if got, ok := rules[0].due(q); !ok || got != c.want {
					t.Errorf("turn %d (%v) is due, wanted %d", got, ok, c.want)
				}
			}
		})
	}
}

func TestRuleForConversation(t *testing.T) {
	rules, err := compile(Script{Rules: []Rule{
		{Name: "any-plan", Role: task.Planner, Turns: []Turn{{Text: "x"}}},
		{Name: "fix-1", Role: task.Implementer, Match: "FIX-001", Turns: []Turn{{Text: "x"}}},
		{Name: "fix-n", Role: task.Implementer, Match: `/FIX-\d+/`, Turns: []Turn{{Text: "x"}}},
		{Name: "special", MatchSystem: "/(?m)^Mode: special$/", Turns: []Turn{{Text: "x"}}},
		{Name: "rest", Role: task.Implementer, Turns: []Turn{{Text: "x"}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	impl := "Role: implementer"
	fix1 := []any{user("do FIX-001"), assistant(use("toolu_fix-1_0_0_0")), user([]any{result("toolu_fix-1_0_0_0", "ok")})}
	for name, c := range map[string]struct {
		system   string
		messages []any
		want     string
	}{
		"by role":                         {"You plan.\nRole: planner\n", []any{user("FIX-001")}, "any-plan"},
		"by prompt":                       {impl, []any{user("do FIX-001")}, "fix-1"},
		"by regexp":                       {impl, []any{user("do FIX-002")}, "fix-n"},
		"no match":                        {impl, []any{user("do it")}, "rest"},
		"by system":                       {"Mode: special", []any{user("do it")}, "special"},
		"stays with a resumed session":    {impl, append(fix1[:3:3], user("go on")), "fix-1"},
		"new prompt in the session":       {impl, append(fix1[:3:3], user("now FIX-007")), "fix-n"},
		"by an earlier prompt":            {impl, []any{user("do FIX-001"), assistant(words("No response requested.")), user("go on")}, "fix-1"},
		"the last role counts":            {"Role: planner\nRole: implementer", []any{user("do it")}, "rest"},
		"role in a message":               {"", []any{user("do it"), map[string]any{"role": "system", "content": "Role: planner"}}, "any-plan"},
		"a reminder is no prompt":         {impl, []any{user([]any{words("<system-reminder>FIX-001</system-reminder>"), words("do it")})}, "rest"},
		"role in a prompt does not count": {impl, []any{user("Role: planner")}, "rest"},
		"nothing fits":                    {"Role: reviewer", []any{user("do it")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			q := conversation(t, c.system, c.messages...)
			got := ""
			if r := choose(rules, q, q.systemText()); r != nil {
				got = r.Name
			}
			if got != c.want {
				t.Errorf("rule is %q, wanted %q", got, c.want)
			}
		})
	}
}

func TestLoadScript(t *testing.T) {
	s, err := LoadScript(strings.NewReader(`{"rules":[{"role":"planner","match":"x","turns":[
		{"text":"a","tools":[{"name":"Bash","input":{"command":"ls"}}],"usage":{"input":5}},
		{"answer":{"summary":"s"},"fault":{"status":429,"times":2,"header":{"retry-after":"1"}}}]}]}`))
	if err != nil || s.Rules[0].Role != task.Planner || s.Rules[0].Turns[0].Usage.Input != 5 || s.Rules[0].Turns[1].Fault.Times != 2 {
		t.Errorf("script %+v: %v", s, err)
	}
	for text, why := range map[string]string{
		`{"rules":[{"rolle":"planner","turns":[{"text":"a"}]}]}`:                              "unknown field",
		`{"rules":[{"turns":[]}]}`:                                                            "no turns",
		`{"rules":[{"turns":[{}]}]}`:                                                          "says nothing",
		`{"rules":[{"match":"/(/","turns":[{"text":"a"}]}]}`:                                  "pattern",
		`{"rules":[{"name":"a b","turns":[{"text":"a"}]}]}`:                                   "name",
		`{"rules":[{"name":"a","turns":[{"text":"a"}]},{"name":"a","turns":[{"text":"a"}]}]}`: "taken",
		`{"rules":[{"turns":[{"answer":[1]}]}]}`:                                              "not a JSON object",
		`{"rules":[{"turns":[{"text":"a","fault":{}}]}]}`:                                     "fault has no",
		`{"rules":[{"turns":[{"text":"a","fault":{"status":200}}]}]}`:                         "status 200",
		`{"rules":[{"turns":[{"fault":{"status":529,"times":2}}]}]}`:                          "says nothing",
	} {
		if _, err := LoadScript(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTurnsOfSteps(t *testing.T) {
	turns := Turns([]Step{{Say: "a"}, {Write: &File{"f", "c"}}, {Command: "ls"}, {Say: "b"}, {Say: "c"}})
	if len(turns) != 4 || turns[0].Text != "a" || turns[0].Tools[0].Name != "Write" || turns[1].Tools[0].Name != "Bash" ||
		turns[2].Text != "b" || turns[3].Text != "c" {
		t.Errorf("turns: %+v", turns)
	}
}

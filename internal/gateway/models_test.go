package gateway

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestModelsThatSearch: a name with which the vendor searches the web is refused, and so is any but the session's own.
func TestModelsThatSearch(t *testing.T) {
	u, s := openOpenAI(t, 0, answers("application/json", `{"model":"gpt-5.5","usage":{"prompt_tokens":1,"completion_tokens":1}}`))
	chats := func(model string) string {
		return `{"model":"` + model + `","messages":[{"role":"user","content":"hi"}]}`
	}
	const searches = "with which the vendor searches the web; an operator can allow it with LONGSHIFT_GATEWAY_PASS=model:"
	for model, want := range map[string]string{
		"gpt-5-search-api":               searches + "gpt-5-search-api",
		"gpt-4o-mini-search-preview":     searches,
		"openai/gpt-5.5:online":          searches + "openai/gpt-5.5:online",
		"openai/gpt-5.5:ONLINE":          searches,
		"perplexity/sonar-pro":           searches,
		"o3-deep-research":               searches,
		"gpt-5.5@preset/mine":            "model is gpt-5.5@preset/mine, and this session is for gpt-5.5; an operator can allow it with LONGSHIFT_GATEWAY_PASS=model:gpt-5.5@preset/mine",
		"gpt-5.5[@preset/mine]":          "this session is for gpt-5.5",
		"gpt-5.5-pro":                    "this session is for gpt-5.5",
		"anthropic/claude-haiku-5-5":     "this session is for gpt-5.5",
		"claude-haiku-5-5":               "this session is for gpt-5.5",
		"https://elsewhere.example/gpt5": "is not a model's name",
	} {
		if status, text := post(t, s, "/v1/chat/completions", chats(model)); status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", model, status, text)
		}
	}
	if u.count() != 0 {
		t.Error("a refused request was sent")
	}
	s.gateway.pass["model:openai/gpt-5.5:online"] = true
	if status, text := post(t, s, "/v1/chat/completions", chats("openai/gpt-5.5:online")); status != http.StatusOK {
		t.Errorf("what the operator allows: %d %s", status, text)
	}
}

// TestModelsBesideTheSessions: agents of Anthropic's API ask for small models too, and say in the name of their own how much context it has.
func TestModelsBesideTheSessions(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 1}, 1))
	})
	g := startGateway(t, u.URL, nil)
	for own, asked := range map[string]map[string]int{
		"opus":      {"claude-opus-5-5": 200, "claude-haiku-5-5": 200, "claude-haiku-4-5-20251001": 200, "claude-sonnet-5[1m]": 200, "claude-opus-5-5:online": 400, "glm-5": 400},
		"GLM-5[1m]": {"glm-5": 200, "GLM-5[1m]": 200, "claude-haiku-5-5": 200, "glm-5-air": 400, "x/claude-haiku-5-5": 400},
	} {
		s, err := g.Open(Spec{ID: "s1", Model: own, Ledger: filepath.Join(t.TempDir(), "ledger.jsonl")})
		if err != nil {
			t.Fatal(err)
		}
		for model, want := range asked {
			if status, text := mustAsk(t, s, question(model, 10)); status != want {
				t.Errorf("a session of %s asks %s: %d %s", own, model, status, text)
			}
		}
		s.Close()
	}
}

package gateway

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func apiAnswers(w http.ResponseWriter, _ *http.Request, _ []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"model":"claude-opus-5-5","usage":{"input_tokens":1,"output_tokens":1}}`)
}

// An upstream that returns the key, anywhere in the answer and in pieces, does not leak it to the agent.
func TestKeyInAnAnswerIsCovered(t *testing.T) {
	packed := base64.StdEncoding.EncodeToString([]byte("x" + testKey + "y"))
	for name, answer := range map[string]func(w http.ResponseWriter){
		"header": func(w http.ResponseWriter) {
			w.Header().Set("X-Debug", "key="+testKey+";")
			w.Header().Set("Www-Authenticate", packed)
			w.Header()["X-"+testKey] = []string{"1"}
			w.Header().Set("Set-Cookie", "a=b")
			w.WriteHeader(500)
		},
		"error": func(w http.ResponseWriter) {
			apiError(w, 401, "authentication_error", "invalid x-api-key: "+testKey+" "+packed)
		},
		"length": func(w http.ResponseWriter) { _, _ = io.WriteString(w, "Bearer "+testKey) },
		"byte by byte": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, b := range []byte("data: s sk sk-ant-test-01 " + testKey + testKey + " sk-ant-tes\n\n") {
				_, _ = w.Write([]byte{b})
				_ = http.NewResponseController(w).Flush()
			}
		},
		"redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://x.example/?key="+testKey)
			w.WriteHeader(307)
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { answer(w) })
			s := openSession(t, startGateway(t, u.URL, nil), 0)
			client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			resp, err := client.Post(s.BaseURL()+"/v1/messages", "application/json", strings.NewReader(plainBody))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			var head strings.Builder
			_ = resp.Header.Write(&head)
			all := head.String() + string(text)
			for _, secret := range []string{testKey, strings.ToLower(testKey), packed[4:20], "Set-Cookie"} {
				if strings.Contains(strings.ToLower(all), strings.ToLower(secret)) {
					t.Errorf("%s is in\n%s", secret, all)
				}
			}
			if name == "byte by byte" && string(text) != "data: s sk sk-ant-test-01 "+strings.Repeat("*", 2*len(testKey))+" sk-ant-tes\n\n" {
				t.Errorf("%s", text)
			}
			if name != "header" && !strings.Contains(all, "***") {
				t.Errorf("nothing is covered in\n%s", all)
			}
		})
	}
}

// An answer in an encoding that was not requested can't be read, so it is not passed on.
func TestAnswerThatCanNotBeReadIsKept(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = io.WriteString(w, testKey)
	})
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	if status, text := mustAsk(t, s, plainBody); status != http.StatusBadGateway || strings.Contains(text, testKey) {
		t.Errorf("%d %s", status, text)
	}
}

func TestModelsAreAnsweredHere(t *testing.T) {
	u := newUpstream(t, apiAnswers)
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	get := func(path string, into any) {
		t.Helper()
		resp, err := http.Get(s.BaseURL() + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v, %v", path, resp.StatusCode, resp.Header, err)
		}
	}
	var one listed
	get("/v1/models/claude-opus-5-5?x=https://evil.example", &one)
	if one != (listed{"model", "claude-opus-5-5", "claude-opus-5-5", "2026-11-20T00:00:00Z"}) {
		t.Errorf("%+v", one)
	}
	var all struct {
		Data  []listed
		First string `json:"first_id"`
		More  bool   `json:"has_more"`
	}
	get("/v1/models?limit=1000", &all)
	if len(all.Data) != len(DefaultPrices().models) || all.Data[0].ID != all.First || all.More {
		t.Errorf("%+v", all)
	}
	if u.count() != 0 {
		t.Errorf("%d calls upstream", u.count())
	}
}

// A dropped beta is logged once, and no agent can fill the log.
func TestDroppedBetasAreSaidOnce(t *testing.T) {
	var logs strings.Builder
	u := newUpstream(t, apiAnswers)
	g := startGateway(t, u.URL, func(c *Config, _ *Gateway) { c.Log = slog.New(slog.NewTextHandler(&logs, nil)) })
	s := openSession(t, g, 0)
	for i := range 2 * mostNames {
		attack{body: plainBody, header: "Anthropic-Beta: made-up-2027-01-01,x" + strings.Repeat("\t\x7f", i) + ",y"}.make(t, s)
	}
	if n := strings.Count(logs.String(), "beta=made-up-2027-01-01"); n != 1 || !strings.Contains(logs.String(), "pass=beta:made-up-2027-01-01") {
		t.Errorf("%d times in\n%.2000s", n, logs.String())
	}
	if n := strings.Count(logs.String(), "\n"); n > mostNames {
		t.Errorf("%d lines", n)
	}
}

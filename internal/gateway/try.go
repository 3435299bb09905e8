package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

const (
	tryWithin = 10 * time.Second
	// A login is valid for little beyond messages, and the API accepts one only with this beta.
	loginBeta = "oauth-2025-04-20"
	oneToken  = `{"model":"claude-sonnet-5","messages":[{"role":"user","content":"hi"}]}`
)

// What people call the APIs, and where they say where they are.
var (
	spoken    = map[API]string{Anthropic: "Anthropic", OpenAI: "OpenAI"}
	keyNames  = map[API]string{Anthropic: "ANTHROPIC_API_KEY", OpenAI: "OPENAI_API_KEY"}
	variables = map[API]string{Anthropic: "LONGSHIFT_ANTHROPIC_URL or ANTHROPIC_BASE_URL", OpenAI: "LONGSHIFT_OPENAI_URL or OPENAI_BASE_URL"}
)

// Try checks an endpoint and its credential with one call that costs nothing: it lists models or, where that is not
// supported, counts the tokens of a word. It returns the host of the endpoint, and an error for people.
func Try(ctx context.Context, c Config, name API) (string, error) {
	gateway, err := New(c)
	if err != nil {
		return "", err
	}
	if !gateway.Serves(name) {
		return "", fault.New(fault.Input, "there is no key for the API of %s", name)
	}
	g := trial{gateway.apis[name], gateway.client}
	ctx, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	cred, err := g.credential(ctx)
	if err != nil {
		return g.host(), err
	}
	var status int
	var said string
	if cred.Kind != OAuth {
		if status, said, err = g.try(ctx, cred, http.MethodGet, "/v1/models", ""); err != nil {
			return g.host(), err
		}
	}
	switch status {
	case 0, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		if name != Anthropic {
			break
		}
		status, said, err = g.try(ctx, cred, http.MethodPost, "/v1/messages/count_tokens", oneToken)
	}
	if err != nil {
		return g.host(), err
	}
	return g.host(), g.tried(status, said)
}

// trial is an endpoint that is tried.
type trial struct {
	*api
	client *http.Client
}

// try makes a call and returns its status and error message.
func (g trial) try(ctx context.Context, cred Credential, method, path, body string) (int, string, error) {
	var betas []string
	if cred.Kind == OAuth {
		betas = []string{loginBeta}
	}
	h, err := g.pick(http.Header{"User-Agent": {"longshift"}}, betas, cred)
	if err != nil {
		return 0, "", fault.New(fault.Denied, "the key for the model: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, method, g.upstream+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header = h
	resp, err := g.client.Do(req)
	if err != nil {
		return 0, "", fault.New(fault.Infra, "%s", g.unreached(err)).
			WithHint("check %s, and the network", variables[g.name])
	}
	defer resp.Body.Close()
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&answer)
	if err != nil && resp.StatusCode < 300 {
		return http.StatusNotFound, "the answer is not JSON", nil // a web site that serves a page for every path
	}
	return resp.StatusCode, answer.Error.Message, nil
}

// tried turns a status into an error. A bad request means that the key was accepted.
func (g trial) tried(status int, said string) error {
	what := fmt.Sprintf("%d %s", status, cmp.Or(said, http.StatusText(status)))
	switch {
	case status < 300 || status == http.StatusBadRequest || status == http.StatusTooManyRequests:
		return nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fault.New(fault.Denied, "%s refuses the key: %s", g.host(), what).WithHint("give the key that belongs to this endpoint")
	case status < 500:
		return fault.New(fault.NotFound, "%s does not answer as the %s API does: %s", g.host(), spoken[g.name], what).
			WithHint("check the path in %s; %s is added to it", variables[g.name], g.first)
	}
	return fault.New(fault.Infra, "%s is down or overloaded: %s", g.host(), what).WithHint("try again later")
}

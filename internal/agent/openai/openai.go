// Package openai asks models by OpenAI's Chat Completions, for Longshift's own agent: the API that servers on one's own machines speak too
// (Ollama, vLLM, llama.cpp) and OpenRouter. It turns a conversation into one request and the answer into one entry. It may keep nothing,
// decide nothing and read no environment: the address and the credential come with each call.
//
// It uses no SDK: OpenAI's brings the logins of three clouds with it, and all that is needed is one request and a stream of its answer.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
)

// Model asks models by Chat Completions. The zero value is ready to use.
type Model struct {
	Client *http.Client                               // nil for one of its own
	Pause  func(context.Context, time.Duration) error // waits between two tries; nil for clock.Sleep
}

// tries is how often a call is made that the server or the network has failed, within seconds. Temporal repeats it after that.
const tries = 3

// longestPause is the longest wait that a call sits out when the server asks for one. Temporal waits out a longer one.
const longestPause = 10 * time.Second

// Answer asks for the next answer of a conversation. It reads the answer as a stream, so that a long one is not cut by what lies between,
// and returns it when it is complete. Errors that decide how the session goes on are an *agent.Failure.
func (m *Model) Answer(ctx context.Context, e agent.Endpoint, q transcript.Query) (a transcript.Answer, err error) {
	body, err := json.Marshal(request(q))
	if err != nil {
		return a, fault.New(fault.Internal, "encode the request to the model: %w", err)
	}
	for n := 1; ; n++ {
		a, err = m.once(ctx, e, body)
		wait := time.Duration(n) * time.Second
		if later, ok := errors.AsType[*fault.Later](err); ok {
			wait = max(wait, later.After)
		}
		if passing := (*momentary)(nil); !errors.As(err, &passing) || n == tries || wait > longestPause || ctx.Err() != nil {
			return a, err
		}
		if err := m.pause(ctx, wait); err != nil {
			return a, fault.New(fault.Infra, "wait to ask the model again: %w", err)
		}
	}
}

func (m *Model) pause(ctx context.Context, d time.Duration) error {
	if m.Pause != nil {
		return m.Pause(ctx, d)
	}
	return clock.Sleep(ctx, d)
}

// momentary is a failure that may be gone a second later.
type momentary struct{ error }

func (m *momentary) Unwrap() error { return m.error }

func (m *Model) once(ctx context.Context, e agent.Endpoint, body []byte) (transcript.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(e.BaseURL, "/")+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return transcript.Answer{}, fault.New(fault.Internal, "ask the model: %w", httpclient.WithoutURL(err))
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Authorization", "Bearer "+e.Token)
	client := m.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return transcript.Answer{}, &momentary{fault.New(fault.Infra, "ask the model: %w", httpclient.WithoutURL(err))}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return transcript.Answer{}, failure(resp)
	}
	s := stream{}
	if err := s.read(resp.Body); err != nil {
		return transcript.Answer{}, err
	}
	return s.answer()
}

// said is what the API says of an error.
type said struct {
	Message string `json:"message"`
	Code    any    `json:"code"` // text, or a number at some servers
	Type    string `json:"type"`
}

// failure tells errors that decide how the session goes on from those of a moment.
func failure(resp *http.Response) error {
	data, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // what is missing is not said
	var body struct {
		Error said `json:"error"`
	}
	_ = json.Unmarshal(data, &body) // an error of another form has no message
	return body.Error.failure(resp.StatusCode, resp.Header)
}

func (e said) failure(status int, h http.Header) error {
	text := fmt.Sprintf("HTTP %d", status)
	if e.Message != "" {
		text = fmt.Sprintf("%s (HTTP %d)", e.Message, status)
	}
	code, _ := e.Code.(string)
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &agent.Failure{Kind: agent.AuthFailed, Text: text}
	case status == http.StatusTooManyRequests && (code == "insufficient_quota" || e.Type == "usage_limit_reached" ||
		h.Get("X-Should-Retry") == "false"):
		return &agent.Failure{Kind: agent.Quota, Text: text}
	case status == http.StatusTooManyRequests:
		return &momentary{&agent.Throttled{Err: httpclient.Asked(h, fault.New(fault.Infra, "the model's API: %s", text))}}
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout, status == http.StatusConflict:
		return &momentary{fault.New(fault.Infra, "the model's API: %s", text)}
	}
	tooLong := status == http.StatusRequestEntityTooLarge || code == "context_length_exceeded" || e.Type == "exceed_context_size_error" ||
		strings.Contains(e.Message, "context length") || strings.Contains(e.Message, "context size")
	return &agent.Failure{Kind: agent.Errored, Text: text, TooLong: tooLong, MostOutput: agent.MostOutput(text)}
}

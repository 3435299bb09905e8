// Package anthropic asks models by Anthropic's Messages API, for Longshift's own agent. It turns a conversation into one request and the
// answer into one entry. It may keep nothing, decide nothing and read no environment: the address and the credential come with each call.
package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
	"github.com/longshift/longshift/task"
)

// Model asks Anthropic's models. The zero value is ready to use.
type Model struct {
	Client *http.Client // nil for one of its own
}

// retries is how often the SDK repeats a call that the server or the network has failed, within seconds. Temporal repeats it after that.
const retries = 2

// Answer asks for the next answer of a conversation. It reads the answer as a stream, because the API gives long ones in no other way, and
// returns it when it is complete. Errors that decide how the session goes on are an *agent.Failure.
func (m *Model) Answer(ctx context.Context, e agent.Endpoint, q transcript.Query) (transcript.Answer, error) {
	if e.Login {
		return transcript.Answer{}, &agent.Failure{Kind: agent.AuthFailed,
			Text: "a subscription login is for Claude Code alone: give the native agent a key, in ANTHROPIC_API_KEY"}
	}
	params, err := request(q)
	if err != nil {
		return transcript.Answer{}, err
	}
	client := sdk.NewMessageService(append(m.options(e), clearing(q.Start.Model, q.Context)...)...)
	stream := client.NewStreaming(ctx, params)
	defer stream.Close()
	var whole sdk.Message
	ended := false
	for stream.Next() {
		event := stream.Current()
		if err := whole.Accumulate(event); err != nil {
			return transcript.Answer{}, fault.New(fault.Infra, "the model's answer can't be read: %w", err)
		}
		ended = ended || event.Type == "message_stop"
	}
	if err := stream.Err(); err != nil {
		return transcript.Answer{}, failure(err)
	}
	if !ended {
		return transcript.Answer{}, fault.New(fault.Infra, "the model's answer was cut off")
	}
	return answer(&whole)
}

func (m *Model) options(e agent.Endpoint) []option.RequestOption {
	client := m.Client
	if client == nil {
		client = &http.Client{}
	}
	return []option.RequestOption{option.WithEnvironmentProduction(), option.WithBaseURL(e.BaseURL), option.WithAPIKey(e.Token),
		option.WithMaxRetries(retries), option.WithHTTPClient(client)}
}

// answer reads a complete message.
func answer(m *sdk.Message) (transcript.Answer, error) {
	a := transcript.Answer{Stop: string(m.StopReason), Refused: m.StopReason == sdk.StopReasonRefusal,
		Cut: m.StopReason == sdk.StopReasonMaxTokens || m.StopReason == sdk.StopReasonModelContextWindowExceeded,
		Usage: task.Usage{Input: m.Usage.InputTokens, Output: m.Usage.OutputTokens,
			CacheRead: m.Usage.CacheReadInputTokens, CacheWrite: m.Usage.CacheCreationInputTokens}}
	seen := map[string]bool{}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			a.Text += b.Text
		case "tool_use":
			if seen[b.ID] || b.ID == "" {
				return a, fault.New(fault.Infra, "the model's answer has two calls with the id %q", b.ID)
			}
			seen[b.ID] = true
			a.Calls = append(a.Calls, transcript.Call{ID: b.ID, Tool: b.Name, Arguments: transcript.Arguments(b.Input)})
		}
	}
	if strings.TrimSpace(a.Text) == "" {
		a.Text = ""
	}
	return a, keepRaw(&a, m)
}

// keepRaw keeps the content of a message as it goes back to the API. That takes no blank text, even of its own, and no call whose arguments
// are not an object.
func keepRaw(a *transcript.Answer, m *sdk.Message) error {
	data, err := json.Marshal(m.ToParam().Content)
	var blocks []map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &blocks)
	}
	blocks = slices.DeleteFunc(blocks, func(b map[string]json.RawMessage) bool {
		var text string
		return string(b["type"]) == `"text"` && json.Unmarshal(b["text"], &text) == nil && strings.TrimSpace(text) == ""
	})
	for _, b := range blocks {
		if string(b["type"]) == `"tool_use"` {
			b["input"] = transcript.Arguments(b["input"])
		}
	}
	if err == nil {
		a.Raw, err = json.Marshal(blocks)
	}
	if err != nil {
		return fault.New(fault.Internal, "encode the model's answer: %w", err)
	}
	return nil
}

// failure tells errors that decide how the session goes on from those of a moment.
func failure(err error) error {
	var api *sdk.Error
	if !errors.As(err, &api) {
		return fault.New(fault.Infra, "ask the model: %w", httpclient.WithoutURL(err))
	}
	text := said(api)
	switch status := api.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &agent.Failure{Kind: agent.AuthFailed, Text: text}
	case status == http.StatusTooManyRequests && api.Response.Header.Get("X-Should-Retry") == "false": // it says so where a quota is used up
		return &agent.Failure{Kind: agent.Quota, Text: text}
	case status == http.StatusTooManyRequests:
		return &agent.Throttled{Err: httpclient.Asked(api.Response.Header, fault.New(fault.Infra, "the model's API: %s", text))}
	case status < http.StatusBadRequest, // an error in the middle of an answer that had begun well
		status >= http.StatusInternalServerError, status == http.StatusRequestTimeout, status == http.StatusConflict:
		return fault.New(fault.Infra, "the model's API: %s", text)
	}
	return &agent.Failure{Kind: agent.Errored, Text: text, MostOutput: agent.MostOutput(text),
		TooLong: api.StatusCode == http.StatusRequestEntityTooLarge || strings.Contains(text, "prompt is too long") ||
			strings.Contains(text, "exceed context limit")}
}

// said is what the API says of an error.
func said(api *sdk.Error) string {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(api.RawJSON()), &body) == nil && body.Error.Message != "" {
		return fmt.Sprintf("%s (HTTP %d)", body.Error.Message, api.StatusCode)
	}
	return fmt.Sprintf("HTTP %d", api.StatusCode)
}

package gateway

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/task"
)

// TestOpenAIStreamThatBreaksOff counts what the model has said by then, and not the events around it: one has 200 to 300 bytes for one token.
func TestOpenAIStreamThatBreaksOff(t *testing.T) {
	usage := object{"input_tokens": 10, "output_tokens": 5000}
	older := object{"prompt_tokens": 10, "completion_tokens": 5000}
	for name, c := range map[string]struct {
		path, body string
		events     []string
		least      int64
		most       int64
	}{
		"text":      {"/v1/responses", asksSimply, spoken100("response.output_text.delta"), 90, 130},
		"arguments": {"/v1/responses", asksSimply, spoken100("response.function_call_arguments.delta"), 90, 130},
		"a chat":    {"/v1/chat/completions", chatsSimply, chatted100(func(text string) object { return object{"content": text} }), 90, 130},
		"a call in a chat": {"/v1/chat/completions", chatsSimply, chatted100(func(text string) object {
			return object{"tool_calls": []object{{"index": 0, "function": object{"arguments": text}}}}
		}), 90, 130},
		"thoughts in a chat": {"/v1/chat/completions", chatsSimply, chatted100(func(text string) object {
			return object{"content": nil, "reasoning": text, "reasoning_content": text}
		}), 90, 130},
		"more than was asked for": {"/v1/responses", strings.Replace(asksSimply, `"input"`, `"max_output_tokens":20,"input"`, 1), spoken100("response.output_text.delta"), 20, 20},
		"a chat that has told its usage": {"/v1/chat/completions", chatsSimply,
			append(chatted100(func(text string) object { return object{"content": text} }), data(object{"choices": []any{}, "usage": older})), 5000, 5000},
		"an answer that is repeated in whole": {"/v1/responses", asksSimply, append(spoken100("response.output_text.delta"), data(object{"type": "response.completed",
			"response": object{"instructions": strings.Repeat("x", 2*maxEvent), "usage": usage}})), 5000, 5000},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := openOpenAI(t, 0, func(w http.ResponseWriter, _ *http.Request) {
				answerStream(w, c.events)
				panic(http.ErrAbortHandler)
			})
			got := askBroken(t, s, c.path, c.body)
			if got.Output < c.least || got.Output > c.most || got.Calls != 1 {
				t.Errorf("usage %+v; want %d to %d tokens of output", got, c.least, c.most)
			}
		})
	}
}

// TestClientGoneWhileTheModelThinks: a stream that shows nothing of the thoughts is counted by the time they took, so that none is free who leaves it.
func TestClientGoneWhileTheModelThinks(t *testing.T) {
	created := event("response.created", object{"type": "response.created", "response": object{"model": "gpt-5.5", "usage": nil}})
	for name, c := range map[string]struct {
		path, body string
		before     []string // what has arrived
		want       int64
	}{
		"responses":            {"/v1/responses", asksSimply, []string{created}, 6000},
		"a chat":               {"/v1/chat/completions", chatsSimply, chatted100(func(string) object { return object{"content": ""} })[:1], 6000},
		"nothing has arrived":  {"/v1/responses", asksSimply, nil, 6000},
		"less was asked for":   {"/v1/responses", strings.Replace(asksSimply, `"input"`, `"max_output_tokens":300,"input"`, 1), []string{created}, 300},
		"a long answer before": {"/v1/responses", asksSimply, append([]string{created}, slices.Repeat(spoken100("response.output_text.delta"), 80)...), 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			now, sent, there := newClock(), make(chan struct{}), strings.Join(c.before, "")
			_, s := openOpenAIAt(t, now, 0, func(w http.ResponseWriter, r *http.Request) {
				if there != "" {
					answerStream(w, c.before)
				}
				close(sent)
				<-r.Context().Done()
			})
			ctx, leave := context.WithCancel(t.Context())
			go func() {
				<-sent
				now.advance(time.Minute)
				if there == "" {
					leave()
				}
			}()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL()+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			if resp, err := http.DefaultClient.Do(req); err == nil {
				defer resp.Body.Close()
				_, _ = io.CopyN(io.Discard, resp.Body, int64(len(there)))
				<-sent
				eventually(t, "a minute is over", func() bool { return now.now().After(newClock().now()) })
				leave()
			}
			eventually(t, "the call is settled", func() bool { return s.State().InFlight == 0 })
			if got := s.Usage(); got.Output != c.want || got.Calls != 1 {
				t.Errorf("usage %+v; want %d tokens of output", got, c.want)
			}
		})
	}
}

// TestEndpointGoneWhileTheModelThinks: thoughts that nobody sees are counted by the time, also where the endpoint or a proxy breaks the stream off.
// An error that it tells instead, and an answer that has come to its end, are no reason to count more than has arrived.
func TestEndpointGoneWhileTheModelThinks(t *testing.T) {
	created := event("response.created", object{"type": "response.created", "response": object{"model": "gpt-5.5", "usage": nil}})
	for name, c := range map[string]struct {
		path, body string
		events     []string
		closed     bool // in good order
		want       int64
	}{
		"responses":     {"/v1/responses", asksSimply, []string{created}, false, 6000},
		"a chat":        {"/v1/chat/completions", chatsSimply, chatted100(func(string) object { return object{"content": ""} })[:1], false, 6000},
		"it is closed":  {"/v1/responses", asksSimply, []string{created}, true, 6000},
		"it tells why":  {"/v1/responses", asksSimply, []string{created, data(object{"type": "error", "code": "server_error"})}, false, 0},
		"without usage": {"/v1/chat/completions", chatsSimply, []string{data(object{"choices": []any{}}), "data: [DONE]\n\n"}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			now := newClock()
			_, s := openOpenAIAt(t, now, 0, func(w http.ResponseWriter, _ *http.Request) {
				answerStream(w, c.events)
				now.advance(time.Minute)
				if !c.closed {
					panic(http.ErrAbortHandler)
				}
			})
			if got := askBroken(t, s, c.path, c.body); got.Output != c.want || got.Calls != 1 {
				t.Errorf("usage %+v; want %d tokens of output", got, c.want)
			}
		})
	}
}

// askBroken posts a body, reads whatever comes, and returns the usage of the session.
func askBroken(t *testing.T, s *Session, path, body string) task.Usage {
	t.Helper()
	resp, err := http.Post(s.BaseURL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	eventually(t, "the call is settled", func() bool { return s.State().InFlight == 0 })
	return s.Usage()
}

// spoken100 is 100 tokens as the Responses API streams them, one an event.
func spoken100(kind string) (events []string) {
	for i := range 100 {
		events = append(events, event(kind, object{"type": kind, "sequence_number": i, "item_id": "msg_" + strings.Repeat("0", 48), "output_index": 0,
			"content_index": 0, "delta": " word", "logprobs": []any{}, "obfuscation": strings.Repeat("z", 11)}))
	}
	return events
}

// chatted100 is 100 tokens as Chat Completions streams them.
func chatted100(delta func(string) object) (events []string) {
	for range 100 {
		events = append(events, data(object{"id": "chatcmpl-" + strings.Repeat("0", 29), "object": "chat.completion.chunk", "created": 1, "model": "gpt-5.5-2026-04-01",
			"service_tier": "default", "system_fingerprint": nil, "choices": []object{{"index": 0, "delta": delta(" word"), "logprobs": nil, "finish_reason": nil}},
			"usage": nil, "obfuscation": "zzzz"}))
	}
	return events
}

// data is an event without a name.
func data(of any) string {
	_, text, _ := strings.Cut(event("", of), "\n")
	return text
}

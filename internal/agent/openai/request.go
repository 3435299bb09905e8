package openai

import (
	"encoding/base64"
	"encoding/json"

	"github.com/longshift/longshift/internal/agent/transcript"
)

// body is a request for an answer.
type body struct {
	Model     string    `json:"model"`
	Messages  []message `json:"messages"`
	Tools     []tool    `json:"tools,omitempty"`
	MaxTokens int       `json:"max_completion_tokens"`
	Stream    bool      `json:"stream"`
	Effort    string    `json:"reasoning_effort,omitempty"`
	CacheKey  string    `json:"prompt_cache_key,omitempty"`
	Options   struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// message is one of a conversation, or an answer as it goes back.
type message struct {
	Role    string          `json:"role"`
	Content any             `json:"content"` // text, parts, or null
	Calls   json.RawMessage `json:"tool_calls,omitempty"`
	Of      string          `json:"tool_call_id,omitempty"` // the call that it is the result of

	Reasoning json.RawMessage `json:"reasoning_content,omitempty"` // that some servers want back
}

type part struct {
	Type  string `json:"type"`
	Text  string `json:"text,omitempty"`
	Image *image `json:"image_url,omitempty"`
}

type image struct {
	URL string `json:"url"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// request is a conversation as the API takes it. What it makes of the entries before the last ones does not depend on what comes behind
// them, so the API finds them in its cache.
func request(q transcript.Query) body {
	b := body{Model: q.Start.Model, MaxTokens: q.MaxOutput, Stream: true, CacheKey: q.Session, Messages: []message{{Role: "system", Content: q.Start.System}, first(q.Start, "")}}
	b.Options.Usage = true
	for _, t := range q.Start.Tools {
		b.Tools = append(b.Tools, tool{"function", function{t.Name, t.Text, t.Schema}})
	}
	for _, e := range q.Entries {
		switch {
		case e.Summary != nil: // it stands for what came before
			b.Messages = []message{b.Messages[0], first(q.Start, e.Summary.Text)}
		case e.Answer != nil:
			var m message
			if json.Unmarshal(e.Answer.Raw, &m) == nil {
				b.Messages = append(b.Messages, m)
			}
		case e.Results != nil:
			b.Messages = append(b.Messages, results(e.Results)...)
		case e.Said != nil && e.Said.Text != "":
			b.Messages = append(b.Messages, message{Role: "user", Content: e.Said.Text})
		}
	}
	return b
}

// first is the first message of the user.
func first(s *transcript.Start, summary string) message {
	if len(s.Images) == 0 && summary == "" {
		return message{Role: "user", Content: s.Prompt}
	}
	var parts []part
	for _, i := range s.Images {
		parts = append(parts, part{Type: "image_url", Image: &image{"data:" + i.Type + ";base64," + base64.StdEncoding.EncodeToString(i.Data)}})
	}
	parts = append(parts, part{Type: "text", Text: s.Prompt})
	if summary != "" {
		parts = append(parts, part{Type: "text", Text: summary})
	}
	return message{Role: "user", Content: parts}
}

// results are those of calls. The API has no place beside them, so a note is put after the last one.
func results(r *transcript.Results) (list []message) {
	for n, one := range r.List {
		content := one.Content
		if n == len(r.List)-1 && r.Note != "" {
			content += "\n" + r.Note
		}
		list = append(list, message{Role: "tool", Content: content, Of: one.Call})
	}
	return list
}

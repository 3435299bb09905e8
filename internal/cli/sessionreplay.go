package cli

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/task"
)

// replay is a conversation as it is printed. Its keys, and those of its rounds, are a contract with scripts.
type replay struct {
	Task        string    `json:"task"`
	Session     int       `json:"session"`
	ID          string    `json:"id"`
	Role        task.Role `json:"role"`
	Deliverable string    `json:"deliverable,omitempty"`
	State       string    `json:"state,omitempty"` // how it ended, or "running"
	Began       time.Time `json:"began"`
	Model       string    `json:"model"`
	Tools       []string  `json:"tools"`
	Images      int       `json:"images,omitempty"`
	System      string    `json:"system"`
	Prompt      string    `json:"prompt"`
	Rounds      []round   `json:"rounds"`
}

// round is an answer of the model, with what it was told before and the results of its calls. The last one may lack the answer.
type round struct {
	N       int         `json:"round"`
	Time    time.Time   `json:"time"`
	Summary string      `json:"summary,omitempty"` // by the model, of all rounds before, which it is not sent any more
	Said    []string    `json:"said,omitempty"`    // by people and Longshift, before the answer
	Text    string      `json:"text,omitempty"`
	Calls   []roundCall `json:"calls,omitempty"`
	Note    string      `json:"note,omitempty"` // what the model is told with the last result
	Stop    string      `json:"stop,omitempty"` // why the model has stopped, in the words of its API
	Refused bool        `json:"refused,omitempty"`
	Cut     bool        `json:"cut,omitempty"`
	Usage   task.Usage  `json:"usage,omitzero"` // of the answer, as the model's API says
	Total   task.Usage  `json:"total,omitzero"` // of the session on its host by then
	CostUSD float64     `json:"costUsd"`        // what the round has added to the total
}

// roundCall is a call of a tool. One without a result has not been carried out, or not to its end.
type roundCall struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    *string         `json:"result,omitempty"`
	Failed    bool            `json:"failed,omitempty"`
}

// newReplay makes a replay. What the model wrote is kept as it wrote it, so all texts are cleaned here: of secrets, and of what would steer a
// terminal.
func newReplay(c *transcript.Conversation, s taskSession, clean func(string) string) *replay {
	start := c.Start()
	r := &replay{Task: s.task, Session: s.N, ID: s.ID, Role: s.Role, Deliverable: s.Deliverable, State: s.state, Began: c.Entries[0].At,
		Model: clean(start.Model), System: clean(start.System), Prompt: clean(start.Prompt), Images: len(start.Images), Tools: []string{}, Rounds: []round{}}
	for _, t := range start.Tools {
		r.Tools = append(r.Tools, clean(t.Name))
	}
	answered := true // the last round has its answer
	last := func(e transcript.Entry) *round {
		if answered {
			r.Rounds = append(r.Rounds, round{N: len(r.Rounds) + 1})
		}
		now := &r.Rounds[len(r.Rounds)-1]
		now.Time, answered = e.At, e.Answer != nil
		return now
	}
	var total task.Usage
	for _, e := range c.Entries[1:] {
		switch {
		case e.Said != nil && e.Said.Text != "":
			now := last(e)
			now.Said = append(now.Said, clean(e.Said.Text))
		case e.Summary != nil:
			last(e).Summary = clean(e.Summary.Text)
		case e.Answer != nil:
			now := last(e)
			now.answer(e.Answer, clean)
			now.CostUSD = math.Round(max(0, e.Answer.Total.CostUSD-total.CostUSD)*1e6) / 1e6 // without what floats leave behind
			total = e.Answer.Total
		case e.Results != nil && len(r.Rounds) > 0:
			r.Rounds[len(r.Rounds)-1].results(e.Results, clean)
		}
	}
	return r
}

func (r *round) answer(a *transcript.Answer, clean func(string) string) {
	r.Text, r.Stop, r.Refused, r.Cut, r.Usage, r.Total = clean(a.Text), clean(a.Stop), a.Refused, a.Cut, a.Usage, a.Total
	for _, c := range a.Calls {
		r.Calls = append(r.Calls, roundCall{ID: clean(c.ID), Tool: clean(c.Tool), Arguments: cleanJSON(c.Arguments, clean)})
	}
}

func (r *round) results(list *transcript.Results, clean func(string) string) {
	for _, result := range list.List {
		for i, c := range r.Calls {
			if content := clean(result.Content); c.ID == clean(result.Call) {
				r.Calls[i].Result, r.Calls[i].Failed = &content, result.Failed
			}
		}
	}
	if list.Note != "" {
		r.Note = clean(list.Note)
	}
}

// cleanJSON cleans the texts in a JSON value, and the names in it. Text that is no JSON becomes one.
func cleanJSON(raw json.RawMessage, clean func(string) string) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		value = string(raw)
	}
	return asJSON(cleanValue(value, clean))
}

// asJSON encodes what was decoded, and leaves <, > and & as they are.
func asJSON(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // it was JSON
	return bytes.TrimSpace(b.Bytes())
}

func cleanValue(value any, clean func(string) string) any {
	switch v := value.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = cleanValue(v[i], clean)
		}
	case map[string]any:
		all := map[string]any{}
		for name, inner := range v {
			all[clean(name)] = cleanValue(inner, clean)
		}
		return all
	}
	return value
}

// Package transcript keeps the conversation of a session of Longshift's own agent, as a chain of files that are named by their content:
// each entry names the one before it, so the name of the last one stands for the whole conversation. It keeps what it is given and adds
// nothing: it may know no model, no tool and no workflow, and imports only task and what writes files. It also names the files in the
// folder of a session that lead to the conversation.
package transcript

import (
	"encoding/json"
	"time"

	"github.com/longshift/longshift/task"
)

// Entry is one step of a conversation. One of Start, Answer, Results, Said and Summary is set.
type Entry struct {
	Before  string    `json:"before,omitempty"` // name of the entry before it; "" for the first
	At      time.Time `json:"at"`
	Start   *Start    `json:"start,omitempty"`
	Answer  *Answer   `json:"answer,omitempty"`
	Results *Results  `json:"results,omitempty"`
	Said    *Said     `json:"said,omitempty"`
	Summary *Summary  `json:"summary,omitempty"`
}

// Start is what every call of the model begins with. It is kept with the conversation, so that it stays the same to the byte when the
// worker is replaced by one with other prompts.
type Start struct {
	API    string  `json:"api,omitempty"` // by which the model is asked; "" for Anthropic's
	Model  string  `json:"model"`
	System string  `json:"system"`
	Tools  []Tool  `json:"tools"`
	Prompt string  `json:"prompt"`
	Images []Image `json:"images,omitempty"`

	Thinking int `json:"thinking,omitempty"` // budget in tokens, for models that take one
}

// Image belongs to the first prompt.
type Image struct {
	Type string `json:"type"` // its media type
	Data []byte `json:"data"`
}

// Tool is a tool as the model is told of it.
type Tool struct {
	Name   string          `json:"name"`
	Text   string          `json:"text"`
	Schema json.RawMessage `json:"schema"`
}

// Answer is an answer of the model.
type Answer struct {
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
	// Raw is the content as the model's API has sent it. It goes back unchanged with the next call, with what only the API understands.
	Raw     json.RawMessage `json:"raw"`
	Stop    string          `json:"stop"`              // why the model has stopped, in the words of its API
	Refused bool            `json:"refused,omitempty"` // the model declines to go on
	Cut     bool            `json:"cut,omitempty"`     // the answer has reached the limit of its length
	Usage   task.Usage      `json:"usage,omitzero"`    // as the model's API says
	Total   task.Usage      `json:"total,omitzero"`    // of the session on its host by then, as the gateway has counted it
}

// Call is a call of a tool.
type Call struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Arguments returns the arguments of a call that are a JSON object, and an empty one for any other: an answer that was cut at its limit ends
// anywhere.
func Arguments(given json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(given, &fields) != nil || fields == nil {
		return json.RawMessage("{}")
	}
	return given
}

// Results are those of calls that follow one another in an answer.
type Results struct {
	List []Result `json:"list"`
	Note string   `json:"note,omitempty"` // what the model is told with them: what is left of money, time and steps
}

// Result is the result of a call.
type Result struct {
	Call    string `json:"call"` // its id
	Content string `json:"content"`
	Failed  bool   `json:"failed,omitempty"`
}

// Said is what the model is told by people and by Longshift.
type Said struct {
	Text     string `json:"text"`
	Messages int    `json:"messages,omitempty"` // of people, that the conversation holds by then
}

// Summary stands for all entries between the start and itself: the model is not sent them any more.
type Summary struct {
	Text  string     `json:"text"`
	Total task.Usage `json:"total,omitzero"` // as of an answer
}

// Query asks a model for the next answer of a conversation.
type Query struct {
	Session   string // UUID
	Start     *Start
	Entries   []Entry // after the start
	MaxOutput int     // tokens
	Context   int     // tokens that the model takes, with its answer; 0 if unknown
}

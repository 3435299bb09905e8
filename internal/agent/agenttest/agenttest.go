// Package agenttest simulates the model for agents under test: a server on loopback that answers Anthropic's and OpenAI's APIs from a
// script, and the conformance suite for drivers of package agent. It is for tests and benchmarks and must not be linked into the product.
package agenttest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/task"
)

// Script is what the model answers, rule by rule. The answer depends on the request alone, so a session that was killed and resumed
// continues where its conversation was. Only Fault.Times, Rule.Once and the records are state of the server.
type Script struct {
	Rules      []Rule `json:"rules"`
	Key        string `json:"key,omitempty"`        // the key that callers must show; any when empty
	KeepBodies bool   `json:"keepBodies,omitempty"` // keep request bodies in Call.Body
}

// Rule is the script of the sessions that it matches. The first matching rule wins; rules with a Match precede those without.
type Rule struct {
	Name        string    `json:"name,omitempty"`        // of letters, digits and hyphens; "rN" when empty
	Role        task.Role `json:"role,omitempty"`        // the role that the system prompt names; any when empty
	Match       string    `json:"match,omitempty"`       // is in the newest prompt of the user; a regexp when written /so/
	MatchSystem string    `json:"matchSystem,omitempty"` // is in the system prompt; a regexp when written /so/
	Once        bool      `json:"once,omitempty"`        // for the first session that asks, and no other
	Turns       []Turn    `json:"turns"`                 // in the order of the conversation; the last one again when asked again, a text if it reports the end
}

// Turn is one answer of the model.
type Turn struct {
	Thinking string          `json:"thinking,omitempty"`
	Text     string          `json:"text,omitempty"`
	Tools    []Tool          `json:"tools,omitempty"`  // calls, in order
	Answer   json.RawMessage `json:"answer,omitempty"` // structured answer: with the tool for a plan or a review if offered, else as text
	Usage    task.Usage      `json:"usage,omitzero"`   // tokens of this call; 100 in and 50 out when zero. Cost and Calls are not used
	Stop     string          `json:"stop,omitempty"`   // stop reason; tool_use or end_turn, as fits, when empty
	Redo     bool            `json:"redo,omitempty"`   // repeat this turn if one of its tool calls was interrupted
	Fault    *Fault          `json:"fault,omitempty"`  // what goes wrong first

	// Before is called before anything is answered, on every try. The answer waits for it.
	Before func(*Call) `json:"-"`
}

// Tool is a call of a tool by the model.
type Tool struct {
	Name  string         `json:"name"` // one in a namespace of the Responses API is namespace__name
	Input map[string]any `json:"input"`
	Text  string         `json:"text,omitempty"` // the input of a custom tool, which only OpenAI's APIs have, instead of Input
}

// Fault is what goes wrong instead of a turn's answer: an error status, an error in the stream, silence, or a broken connection.
type Fault struct {
	Times  int               `json:"times,omitempty"`  // on the first tries only, then the turn is answered; 0 for always
	Status int               `json:"status,omitempty"` // answer with this status
	Type   string            `json:"type,omitempty"`   // error type in the body; the API's own for the status when empty
	Code   string            `json:"code,omitempty"`   // error code in the body, of OpenAI's APIs; the API's own for the status when empty
	Body   string            `json:"body,omitempty"`   // error message, or the whole body when it starts with {
	Header map[string]string `json:"header,omitempty"` // added to the answer
	After  int               `json:"after,omitempty"`  // let this many stream events through before the silence, the break or the error
	Hang   bool              `json:"hang,omitempty"`   // send nothing until Release is closed (then answer), or the connection ends
	Drop   bool              `json:"drop,omitempty"`   // break the connection
	Fail   bool              `json:"fail,omitempty"`   // end the stream with the API's event of an error; status 500 where none was asked for

	Release <-chan struct{} `json:"-"`
}

// LoadScript reads a script from JSON. Unknown fields and bad patterns are errors.
func LoadScript(r io.Reader) (Script, error) {
	var s Script
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Script{}, fmt.Errorf("read script: %w", err)
	}
	if _, err := compile(s); err != nil {
		return Script{}, err
	}
	return s, nil
}

var ruleName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// compile checks a script and makes it ready for use.
func compile(s Script) ([]*rule, error) {
	rules, seen := make([]*rule, len(s.Rules)), map[string]bool{}
	for i, r := range s.Rules {
		r.Name = cmp.Or(r.Name, fmt.Sprintf("r%d", i))
		if !ruleName.MatchString(r.Name) || seen[r.Name] {
			return nil, fmt.Errorf("rule %d: name %q is taken or not of letters, digits and hyphens", i, r.Name)
		}
		if len(r.Turns) == 0 {
			return nil, fmt.Errorf("rule %q: has no turns", r.Name)
		}
		for j := range r.Turns {
			if err := r.Turns[j].check(); err != nil {
				return nil, fmt.Errorf("rule %q: turn %d: %w", r.Name, j, err)
			}
		}
		if r.Turns[len(r.Turns)-1].ends() {
			r.Turns = append(slices.Clip(r.Turns), Turn{Text: "Never said."})
		}
		c := &rule{Rule: r}
		for _, p := range []struct {
			text string
			to   *func(string) bool
		}{{r.Match, &c.prompt}, {r.MatchSystem, &c.system}} {
			m, err := matcher(p.text)
			if err != nil {
				return nil, fmt.Errorf("rule %q: pattern %q: %w", r.Name, p.text, err)
			}
			*p.to = m
		}
		rules[i], seen[r.Name] = c, true
	}
	return rules, nil
}

// ends tells whether the turn makes a report that ends the session. The agent may have asked the model once more before its driver ends it.
func (t *Turn) ends() bool {
	return slices.ContainsFunc(t.Tools, func(c Tool) bool {
		_, report, prefixed := strings.Cut(c.Name, "longshift_") // programs put the server's name first, our own agent does not
		if !prefixed {
			report = c.Name
		}
		return reporting.Ends(strings.TrimPrefix(report, "_"))
	})
}

func (t *Turn) check() error {
	if t.Answer != nil {
		if !json.Valid(t.Answer) || !bytes.HasPrefix(bytes.TrimSpace(t.Answer), []byte("{")) {
			return fmt.Errorf("answer is not a JSON object")
		}
	}
	empty := t.Text == "" && len(t.Tools) == 0 && t.Answer == nil && t.Thinking == ""
	if f := t.Fault; f != nil {
		if f.Status == 0 && !f.Hang && !f.Drop && !f.Fail {
			return fmt.Errorf("fault has no status, hang, drop or fail")
		}
		if f.Status != 0 && (f.Status < 400 || http.StatusText(f.Status) == "" && f.Status != 529) {
			return fmt.Errorf("fault has status %d", f.Status)
		}
		empty = empty && (f.Times > 0 || f.Release != nil)
	}
	if empty {
		return fmt.Errorf("says nothing")
	}
	return nil
}

// matcher returns the test for a pattern. An empty pattern matches everything.
func matcher(pattern string) (func(string) bool, error) {
	if n := len(pattern); n > 2 && pattern[0] == '/' && pattern[n-1] == '/' {
		re, err := regexp.Compile(pattern[1 : n-1])
		if err != nil {
			return nil, err
		}
		return re.MatchString, nil
	}
	return func(s string) bool { return strings.Contains(s, pattern) }, nil
}

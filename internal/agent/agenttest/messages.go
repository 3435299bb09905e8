package agenttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// messages answers one call of the model.
func (s *Server) messages(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	c := &Call{Time: time.Now(), Header: r.Header.Clone(), Size: len(body)}
	if s.script.KeepBodies {
		c.Body = body
	}
	var q request
	if err := json.Unmarshal(body, &q); err != nil {
		s.refuse(w, c, http.StatusBadRequest, "body is not a request: "+err.Error())
		return
	}
	s.describe(c, &q)
	if status, why := s.admit(r, c, body, &q); status != 0 {
		s.refuse(w, c, status, why)
		return
	}
	rule := choose(s.free(c.Session), &q, c.System)
	if rule == nil {
		s.withoutRule(w, r, c, &q)
		return
	}
	turn, ok := rule.due(&q)
	if !ok {
		s.refuse(w, c, http.StatusBadRequest, fmt.Sprintf("rule %q has no turn after its %d", rule.Name, len(rule.Turns)))
		return
	}
	s.accept(c, rule, turn)
	t := &rule.Turns[turn]
	if t.Before != nil {
		seen := *c
		t.Before(&seen)
	}
	s.say(w, r, c, rule.answerFor(&q, turn, s.nextID()), t.Fault)
}

func (s *Server) describe(c *Call, q *request) {
	c.System = q.systemText()
	c.Session, c.Role, c.Model, c.Stream, c.MaxTokens = q.session(), role(c.System), q.Model, q.Stream, q.MaxTokens
	if p := q.prompts(); len(p) > 0 {
		c.Prompt = p[len(p)-1]
	}
	for _, t := range q.Tools {
		c.Tools = append(c.Tools, t.Name)
	}
}

// known checks who calls.
func (s *Server) known(r *http.Request) (status int, why string) {
	key := cmp.Or(r.Header.Get("X-Api-Key"), strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	switch {
	case key == "" || s.script.Key != "" && key != s.script.Key:
		return http.StatusUnauthorized, "invalid x-api-key"
	case r.Header.Get("Anthropic-Version") == "":
		return http.StatusBadRequest, "anthropic-version: header is required"
	}
	return 0, ""
}

// admit makes the checks that the API makes before it calls the model, and our own of the conversation.
func (s *Server) admit(r *http.Request, c *Call, body []byte, q *request) (status int, why string) {
	if status, why := s.known(r); status != 0 {
		return status, why
	}
	err := describedAs(r.Header, body)
	if err == nil {
		err = q.validate()
	}
	if err == nil {
		err = s.follows(c, body)
	}
	if err != nil {
		return http.StatusBadRequest, err.Error()
	}
	return 0, ""
}

// follows holds a request of our own agent against the one before it in its session.
func (s *Server) follows(c *Call, body []byte) (err error) {
	if !ofOurAgent(c.Header) {
		return nil // Claude Code changes what it has sent
	}
	if c.prefix, err = readPrefix(body); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if sent := s.sent[c.Session]; sent != nil {
		return c.prefix.keeps(sent)
	}
	return nil
}

// withoutRule answers side calls of the agent program. Any other call is missing in the script.
func (s *Server) withoutRule(w http.ResponseWriter, r *http.Request, c *Call, q *request) {
	if len(q.Tools) > 0 || c.Role != "" {
		s.refuse(w, c, http.StatusBadRequest, "no rule fits this call")
		return
	}
	s.mu.Lock()
	s.helpers = append(s.helpers, c)
	s.mu.Unlock()
	s.say(w, r, c, helperAnswer(q, s.nextID()), nil)
}

// accept records a call under its rule.
func (s *Server) accept(c *Call, r *rule, turn int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%s %s %d", c.Session, r.Name, turn)
	s.tries[key]++
	c.Rule, c.Turn, c.Try = r.Name, turn, s.tries[key]
	if r.Once {
		s.owners[r.Name] = c.Session
	}
	s.calls = append(s.calls, c)
}

func (s *Server) nextID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	return fmt.Sprintf("msg_scripted_%06d", s.serial)
}

// finish records how an answer went out; a whole one of a rule is added to the usage.
func (s *Server) finish(c *Call, status int, whole bool, usage task.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Status, c.Whole = status, whole
	if whole && c.prefix != nil {
		s.sent[c.Session] = c.prefix
	}
	if whole && c.Rule != "" {
		usage.CostUSD, usage.Calls = 0, 1
		s.usage[c.Model] = s.usage[c.Model].Add(usage)
	}
}

package agenttest

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// answers gives the handler for calls of the model in an API.
func (s *Server) answers(a api) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client went away
		}
		c := &Call{Time: time.Now(), Header: r.Header.Clone(), Size: len(body), api: a}
		if s.script.KeepBodies {
			c.Body = body
		}
		s.answer(w, r, c, body)
	}
}

// answer answers one call of the model.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, c *Call, body []byte) {
	q, err := c.api.read(r.Header, body)
	s.describe(c, &q)
	if status, why := s.admit(c, body, err); status != 0 {
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
		if t.Before(&seen); r.Context().Err() != nil { // who has asked is gone
			return
		}
	}
	s.say(w, r, c, rule.answerFor(&q, turn), t.Fault)
}

func (s *Server) describe(c *Call, q *request) {
	c.System = q.systemText()
	c.Session, c.Role, c.Model, c.Stream, c.MaxTokens = q.Session, role(c.System), q.Model, q.Stream, q.MaxTokens
	if p := q.prompts(); len(p) > 0 {
		c.First, c.Prompt = p[0], p[len(p)-1]
	}
	for _, t := range q.Tools {
		c.Tools = append(c.Tools, t.Name)
	}
}

// known checks who calls.
func (s *Server) known(header http.Header) bool {
	key := cmp.Or(header.Get("X-Api-Key"), strings.TrimPrefix(header.Get("Authorization"), "Bearer "))
	return key != "" && (s.script.Key == "" || key == s.script.Key)
}

const wrongKey = "invalid API key"

// admit makes the checks that the API makes before it calls the model, and our own of the conversation. Invalid is what is wrong with
// the request itself.
func (s *Server) admit(c *Call, body []byte, invalid error) (status int, why string) {
	if !s.known(c.Header) {
		return http.StatusUnauthorized, wrongKey
	}
	if invalid == nil {
		invalid = s.follows(c, body)
	}
	if invalid != nil {
		return http.StatusBadRequest, invalid.Error()
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
	s.say(w, r, c, helperAnswer(q), nil)
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

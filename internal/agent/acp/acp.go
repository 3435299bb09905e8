// Package acp is the client's side of the Agent Client Protocol, version 1. An agent is a program that takes prompts over stdio, tells what it
// does, and asks before calls of tools. The package may not decide on a call, start a program, or know one agent from another. It offers
// agents no files and no terminals: they use their own, and ask before.
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/longshift/longshift/internal/agent/jsonrpc"
)

// protocol is the version of the protocol.
const protocol = 1

// Client talks to one agent. Its methods are safe for concurrent use. Those that wait for an answer return a *jsonrpc.Error when the agent
// refuses, ErrEnded when its output has ended, and the cause when ctx ends.
type Client struct {
	conn *jsonrpc.Conn
	over chan struct{} // closed when no more is read
}

// ErrEnded means that the agent has ended without an answer.
var ErrEnded = errors.New("the agent has ended")

// New writes to an agent's input. Answers come while Read runs.
func New(w io.WriteCloser) *Client {
	return &Client{conn: jsonrpc.New(w, "2.0"), over: make(chan struct{})}
}

// Handler takes what an agent says, in its order. Neither function may block, and an error of theirs ends Read.
type Handler struct {
	Update func(session string, u Update) error
	Ask    func(session string, q Question) error // Answer or GiveUp answers it, at any time
}

// Read reads the agent's output to its end. broken counts the lines that are no messages.
func (c *Client) Read(r io.Reader, program string, h Handler) (broken int, err error) {
	defer close(c.over)
	return jsonrpc.Read(r, program, func(m *jsonrpc.Message) error { return c.handle(m, h) })
}

func (c *Client) handle(m *jsonrpc.Message, h Handler) error {
	switch {
	case m.Method == "":
		return c.conn.Answered(m)
	case m.Method == "session/update":
		var p struct {
			Session string `json:"sessionId"`
			Update  Update `json:"update"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return unreadable(m.Method, err)
		}
		return h.Update(p.Session, p.Update)
	case m.Method == "session/request_permission":
		p := struct {
			Session string `json:"sessionId"`
			*Question
		}{Question: &Question{id: m.ID}}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return unreadable(m.Method, err)
		}
		return h.Ask(p.Session, *p.Question)
	case len(m.ID) > 0:
		c.conn.Refuse(m.ID, "not supported: "+m.Method)
	}
	return nil
}

// answer is the answer to a request.
type answer struct {
	result json.RawMessage
	no     *jsonrpc.Error
}

// call sends a request and waits for its answer, which it decodes into result unless that is nil.
func (c *Client) call(ctx context.Context, method string, params, result any) error {
	answers := make(chan answer, 1)
	c.conn.Call(method, params, func(raw json.RawMessage, no *jsonrpc.Error) error {
		answers <- answer{raw, no}
		return nil
	})
	var a answer
	select {
	case a = <-answers:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.over:
		select { // it may have answered last
		case a = <-answers:
		default:
			return ErrEnded
		}
	}
	if a.no != nil {
		return a.no
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(a.result, result); err != nil {
		return unreadable(method, err)
	}
	return nil
}

// Over is closed when the agent's output has ended.
func (c *Client) Over() <-chan struct{} { return c.over }

// Close ends the agent's input, at which it exits.
func (c *Client) Close() { c.conn.Close() }

// Package jsonrpc is a conversation with a program by JSON-RPC 2.0, a message a line. It numbers our requests, and finds the answers to them.
// It may not know any method: those are the drivers'.
package jsonrpc

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"sync"

	"github.com/longshift/longshift/internal/fault"
)

// Message is one line. A request has Method and ID, a notification only Method, and an answer only ID. The two sides number their requests
// independently.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Error is the error of an answer. It is an error for those who call and wait.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// unsupported is the code for a method that the other side does not have.
const unsupported = -32601

// Then goes on after an answer to one of our requests. Its error ends the session.
type Then func(result json.RawMessage, no *Error) error

// Conn is our side of the conversation. Write errors are ignored: they mean that the program has exited, which its output and exit status
// report better. Its methods are safe for concurrent use.
type Conn struct {
	version string // what every message says, if anything

	writing sync.Mutex
	w       io.WriteCloser

	mu   sync.Mutex
	open map[string]Then // our requests without an answer yet, by id
}

// New writes to a program's input. version is what its messages say in their field of that name, "" where they have none.
func New(w io.WriteCloser, version string) *Conn {
	return &Conn{version: version, w: w, open: map[string]Then{}}
}

// Call sends a request. Its id can't be guessed, so that nobody else's answer passes for the program's. f runs where answers are read.
func (c *Conn) Call(method string, params any, f Then) {
	id := rand.Text()
	c.mu.Lock()
	c.open[id] = f
	c.mu.Unlock()
	c.send(map[string]any{"id": id, "method": method, "params": params})
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) {
	m := map[string]any{"method": method}
	if params != nil {
		m["params"] = params
	}
	c.send(m)
}

// Reply answers a request of the program.
func (c *Conn) Reply(id json.RawMessage, result any) {
	c.send(map[string]any{"id": id, "result": result})
}

// Refuse answers a request for something that we don't do.
func (c *Conn) Refuse(id json.RawMessage, why string) {
	c.send(map[string]any{"id": id, "error": Error{Code: unsupported, Message: why}})
}

// send writes a line. A value that can't be encoded is not sent; a missing answer counts as a refusal.
func (c *Conn) send(m map[string]any) {
	if c.version != "" {
		m["jsonrpc"] = c.version
	}
	line, err := json.Marshal(m)
	if err != nil {
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, _ = c.w.Write(append(line, '\n'))
}

// Close ends the program's input.
func (c *Conn) Close() {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.w.Close()
}

// errNotOurs is the error for an answer that nobody has asked for.
func errNotOurs() error {
	return fault.New(fault.Internal, "the agent answers a request that is not ours: a command has written to its input")
}

// Answered goes on after an answer.
func (c *Conn) Answered(m *Message) error {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		return errNotOurs()
	}
	c.mu.Lock()
	f, open := c.open[id]
	delete(c.open, id)
	c.mu.Unlock()
	if !open {
		return errNotOurs()
	}
	return f(m.Result, m.Error)
}

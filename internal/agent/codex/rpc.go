package codex

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// message is one line of the protocol: JSON-RPC 2.0 without its version field. A request has Method and ID, a notification only Method, and
// an answer only ID. The two sides number their requests independently.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *refusal        `json:"error,omitempty"`
}

// refusal is the error of an answer.
type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// unsupported is JSON-RPC's code for a method that the other side does not have.
const unsupported = -32601

// then goes on after an answer to one of our requests. Its error ends the session.
type then func(result json.RawMessage, no *refusal) error

// conn is our side of the conversation with the binary. Write errors are ignored: they mean that the binary has exited, which its output and
// exit status report better.
type conn struct {
	writing sync.Mutex
	w       io.WriteCloser

	mu   sync.Mutex
	open map[string]then // our requests without an answer yet, by id
}

func newConn(w io.WriteCloser) *conn { return &conn{w: w, open: map[string]then{}} }

// call sends a request. Its id can't be guessed, so that nobody else's answer passes for the binary's. then runs where answers are read.
func (c *conn) call(method string, params any, f then) {
	id := rand.Text()
	c.mu.Lock()
	c.open[id] = f
	c.mu.Unlock()
	c.send(map[string]any{"id": id, "method": method, "params": params})
}

func (c *conn) notify(method string) { c.send(map[string]any{"method": method}) }

func (c *conn) reply(id json.RawMessage, result any) {
	c.send(map[string]any{"id": id, "result": result})
}

func (c *conn) refuse(id json.RawMessage, why string) {
	c.send(map[string]any{"id": id, "error": refusal{Code: unsupported, Message: why}})
}

// send writes a line. A value that can't be encoded is not sent; a missing answer counts as a refusal.
func (c *conn) send(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, _ = c.w.Write(append(line, '\n'))
}

// close ends the binary's input. It exits then, even while a command runs.
func (c *conn) close() {
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = c.w.Close()
}

var errNotOurs = errors.New("it answers a request that is not ours: a command has written to its input")

// answered goes on after an answer.
func (c *conn) answered(m *message) error {
	var id string
	if json.Unmarshal(m.ID, &id) != nil {
		return errNotOurs
	}
	c.mu.Lock()
	f, open := c.open[id]
	delete(c.open, id)
	c.mu.Unlock()
	if !open {
		return errNotOurs
	}
	return f(m.Result, m.Error)
}

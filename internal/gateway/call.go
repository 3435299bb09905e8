package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/longshift/longshift/internal/redact"
)

// call is one request to the API and its answer.
type call struct {
	session *Session
	api     *api
	request *http.Request
	way     route
	path    string // of the API
	query   string
	betas   []string
	body    []byte // as it is sent upstream
	start   time.Time
	begun   time.Time // when it was sent, after whatever it waited for

	number  uint64 // in the ledger; 0 for calls that cost nothing
	bid     bid
	sent    atomic.Bool // the request was sent completely
	answer  answer
	secrets []string
	key     redact.Pieces // removes the key from the answer
	settled bool
	noted   int64 // bytes of output that the ledger knows of
}

// answer is what has arrived of an answer of the API.
type answer struct {
	status int
	meter  meter
	kept   capture // its start, for the transcript
	whole  bool    // it has arrived to its end
}

// admit reserves the money for a call, or answers it with a refusal. It may reduce the output that the call asks for.
func (c *call) admit(w http.ResponseWriter, q *request) bool {
	s := c.session
	c.bid = c.api.prices.bid(q)
	ctx, stop := c.context()
	defer stop()
	v, err := s.account.reserve(ctx, c.bid)
	if err != nil {
		s.answerRefusal(w, err)
		return false
	}
	c.number, c.bid.output = v.number, v.output
	q.shorten(v.output)
	return true
}

// context ends when the client goes away or the session is ended.
func (c *call) context() (context.Context, func()) {
	ctx, cancel := context.WithCancel(c.request.Context())
	stop := context.AfterFunc(c.session.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// serve sends the call upstream and relays the answer. The call is settled on every path.
func (c *call) serve(w http.ResponseWriter) {
	ctx, stop := c.context()
	defer stop()
	defer c.record()
	defer c.finish()
	if c.session.transcript.on() {
		c.answer.kept.limit = maxEntry
	}
	c.begun = c.session.gateway.now()
	resp, err := c.send(ctx)
	if err != nil {
		c.answerUnsent(w, ctx, err)
		return
	}
	defer resp.Body.Close()
	c.answer.status, c.answer.meter = resp.StatusCode, c.api.newMeter(resp)
	body, err := decoded(resp)
	if err != nil {
		c.answer.status = 0
		c.answerUnsent(w, ctx, err)
		return
	}
	h := w.Header()
	maps.Copy(h, endToEnd(resp.Header, c.key.Cover))
	if c.number != 0 && c.session.health.observe(c.bid.model, c.answer.status, resp.Header) {
		h.Set("X-Should-Retry", "false") // clients of the API honor it
	}
	w.WriteHeader(c.answer.status)
	if err := c.relay(w, body, resp.ContentLength); err != nil {
		c.finish()
		if !c.answer.whole && ctx.Err() == nil { // neither the client nor the session has ended the call
			c.session.health.brokeOff("")
		}
		panic(http.ErrAbortHandler) // shows the client that the answer broke off
	}
}

// send makes the call upstream.
func (c *call) send(ctx context.Context) (*http.Response, error) {
	g := c.session.gateway
	cred, err := c.api.credential(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCredential, err)
	}
	h, err := c.api.pick(c.request.Header, c.betas, cred)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCredential, err)
	}
	c.secrets, c.key.Cover = secrets(h, c.session.token), c.api.cover(cred)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) { c.sent.Store(info.Err == nil) },
	})
	target := c.api.upstream + c.path
	if c.query != "" {
		target += "?" + c.query
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	req.Header = h
	return g.client.Do(req)
}

var errCredential = errors.New("no credential")

// answerUnsent answers a call that got no answer from the API.
func (c *call) answerUnsent(w http.ResponseWriter, ctx context.Context, err error) {
	s := c.session
	switch {
	case errors.Is(err, errCredential):
		s.health.refuseAuth(err.Error())
		s.gateway.log.Error("model credential", "session", s.id, "error", err)
		answerError(w, http.StatusForbidden, typePermission, "longshift_credential: the worker has no credential for the model")
	case ctx.Err() != nil:
		panic(http.ErrAbortHandler) // the client is gone, or the session is ended
	default:
		s.health.unreachable()
		s.gateway.log.Warn("model endpoint unreachable", "session", s.id, "error", err)
		answerError(w, http.StatusBadGateway, typeAPI, "longshift_upstream: "+c.api.unreached(err))
	}
}

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
	meter   meter
	kept    capture // start of the answer, for the transcript
	secrets []string
	key     redact.Pieces // removes the key from the answer
	status  int
	whole   bool // the answer has arrived to its end
	settled bool
	noted   int64 // bytes of output that the ledger knows of
}

// admit reserves the money for a call, or answers it with a refusal. It may reduce the output that the call asks for.
func (c *call) admit(w http.ResponseWriter, q *request) bool {
	s := c.session
	c.bid = c.api.prices.bid(q)
	ctx, stop := c.context()
	defer stop()
	v, err := s.reserve(ctx, c.bid)
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
		c.kept.limit = maxEntry
	}
	c.begun = c.session.gateway.now()
	resp, err := c.send(ctx)
	if err != nil {
		c.answerUnsent(w, ctx, err)
		return
	}
	defer resp.Body.Close()
	c.status, c.meter = resp.StatusCode, c.api.newMeter(resp)
	body, err := decoded(resp)
	if err != nil {
		c.status = 0
		c.answerUnsent(w, ctx, err)
		return
	}
	h := w.Header()
	maps.Copy(h, endToEnd(resp.Header, c.key.Cover))
	if c.number != 0 && c.session.observe(c.bid.model, c.status, resp.Header) {
		h.Set("X-Should-Retry", "false") // clients of the API honor it
	}
	w.WriteHeader(c.status)
	if err := c.relay(w, body, resp.ContentLength); err != nil {
		c.finish()
		if !c.whole && ctx.Err() == nil { // neither the client nor the session has ended the call
			c.session.brokeOff("")
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
		s.refuseAuth(err.Error())
		s.gateway.log.Error("model credential", "session", s.id, "error", err)
		answerError(w, http.StatusForbidden, typePermission, "longshift_credential: the worker has no credential for the model")
	case ctx.Err() != nil:
		panic(http.ErrAbortHandler) // the client is gone, or the session is ended
	default:
		s.unreachable()
		s.gateway.log.Warn("model endpoint unreachable", "session", s.id, "error", err)
		answerError(w, http.StatusBadGateway, typeAPI, "longshift_upstream: "+c.api.unreached(err))
	}
}

package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

const (
	maxRequest   = 64 << 20  // bytes of a request body
	maxHeld      = 256 << 20 // bytes of request bodies that a session may have under way
	maxPrompt    = 1_000_000 // tokens; no model takes more
	maxOutput    = 1_000_000 // tokens; no model gives more
	defaultLimit = 128_000   // tokens of output when a request names no limit
	promptExtra  = 8_192     // tokens that the API adds for tools and the like
	guessBytes   = 4         // bytes of text that make a token, on average
)

var (
	errTooLarge = errors.New("the request is too large")
	errNotJSON  = errors.New("the request is not a JSON object")
)

// readBody reads the body of a request. A client that takes too long for it is cut off.
func (g *Gateway) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(g.limits.body))
	var b bytes.Buffer
	if 0 < r.ContentLength && r.ContentLength <= maxRequest {
		b.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, maxRequest))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, err // the deadline stays, or the server would wait for the rest of the body
	}
	return b.Bytes(), control.SetReadDeadline(time.Time{})
}

// asked is what the gateway reads of a request for a message.
type asked struct {
	Model  string `json:"model"`
	Limit  *int64 `json:"max_tokens"`
	Speed  string `json:"speed"`
	Geo    string `json:"inference_geo"`
	Stream bool   `json:"stream"`
}

// bid says what a request may cost at worst, and what its input will cost about.
func (p *Prices) bid(body []byte) (bid, error) {
	a := asked{}
	if err := json.Unmarshal(body, &a); err != nil || a.Model == "" {
		return bid{}, errNotJSON
	}
	output := int64(defaultLimit)
	if a.Limit != nil {
		output = min(max(*a.Limit, 0), maxOutput)
	}
	b := bid{model: a.Model, bytes: len(body), tokens: int64(len(body)/guessBytes) + 1}
	m, _ := p.find(a.Model)
	prompt := min(int64(len(body))+promptExtra, maxPrompt) // a token is a byte at least
	worst := m.in(prompt, a.Speed)
	b.worst = p.geo(nanos(prompt)*worst.dearestInput(body)+nanos(output)*worst.output, a.Geo)
	b.guess = p.geo(nanos(b.tokens)*m.in(b.tokens, a.Speed).input, a.Geo)
	return b, nil
}

var (
	cacheWord = []byte(`"cache_control"`)
	hourWord  = []byte(`"1h"`)
)

// dearestInput gives the highest price that a token of the prompt can have, by what the request asks to be cached.
func (r rate) dearestInput(body []byte) nanos {
	price := max(r.input, r.read)
	if bytes.Contains(body, cacheWord) {
		price = max(price, r.write5m)
		if bytes.Contains(body, hourWord) {
			price = max(price, r.write1h)
		}
	}
	return price
}

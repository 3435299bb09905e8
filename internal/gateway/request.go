package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
)

const (
	maxRequest    = 32 << 20  // bytes of a request body; the API takes no more
	maxHeld       = 256 << 20 // bytes of request bodies that a session may have in memory
	maxPrompt     = 1_000_000 // tokens; no model takes more
	maxOutput     = 1_000_000 // tokens; no model gives more
	leastOutput   = 4_096     // tokens; most answers are shorter
	leastEver     = 256       // tokens; nothing can be said in less
	leastThinking = 1_024     // tokens; the API takes no smaller budget, and requires as much output beside it
	promptExtra   = 8_192     // tokens that the API adds for tools and the like
	guessBytes    = 4         // bytes of text per token, on average
)

var (
	errTooLarge = errors.New("the request is too large")
	errNotJSON  = errors.New("the body is not plain JSON")
)

// readBody reads the body of a request. It fails when the client takes too long.
func (g *Gateway) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(g.limits.body))
	var b bytes.Buffer
	if 0 < r.ContentLength && r.ContentLength <= maxRequest {
		b.Grow(int(r.ContentLength) + bytes.MinRead)
	}
	_, err := b.ReadFrom(http.MaxBytesReader(w, r.Body, maxRequest))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, errTooLarge
	}
	if err != nil {
		return nil, err // keep the deadline, or the server would wait for the rest of the body
	}
	return b.Bytes(), control.SetReadDeadline(time.Time{})
}

// request is the checked body of a call.
type request struct {
	body   *dict
	text   []byte // encoded body
	model  string
	output int64  // upper bound of the tokens asked for
	key    string // of the body, which sets that bound
	stream bool
	speed  string
	geo    string
	tokens int64 // of input beyond what the size in bytes bounds
	usual  int64 // what these tokens usually are
	uses   int64 // upper bound of uses of vendor-run tools
	pixels int64 // bytes of the body that are images
}

// read parses the body of a request, checks it against the vendor's shape, and encodes it again.
func (v vendor) read(way route, body []byte, pass map[string]bool, tools []string) (*request, error) {
	decoded, err := decodeJSON(body)
	if err != nil {
		return nil, err
	}
	r := review{pass: pass, tools: tools}
	if err := v.bodies[way].check(&r, decoded); err != nil {
		return nil, err
	}
	q := &request{body: decoded.(*dict), tokens: r.tokens, usual: r.usual, uses: r.uses, pixels: r.pixels} // the shape is a record
	q.model, _ = q.body.get("model").(string)
	q.stream, _ = q.body.get("stream").(bool)
	q.speed, _ = q.body.get("speed").(string)
	q.geo, _ = q.body.get("inference_geo").(string)
	if q.model == "" {
		return nil, within("model", refuse("is missing"))
	}
	q.text = encodeJSON(q.body)
	return q, nil
}

// whole returns a number if it is an integer.
func whole(v value) (int64, bool) {
	n, ok := v.(json.Number)
	i, err := n.Int64()
	return i, ok && err == nil
}

// boundMessage reads how much output a message request asks for, and caps it at what any model supports.
func boundMessage(q *request) error {
	q.key = "max_tokens"
	asked, ok := whole(q.body.get(q.key))
	if !ok || asked == 0 {
		return within(q.key, refuse("is not a number above 0"))
	}
	q.shorten(min(asked, maxOutput))
	return nil
}

// shorten reduces the requested output, and the thinking budget with it.
func (q *request) shorten(output int64) {
	asked, given := whole(q.body.get(q.key))
	if !given {
		asked = q.output // what the model gives at most
	}
	if asked != output {
		q.body.set(q.key, number64(output))
		if q.thinking() >= output {
			q.body.get("thinking").(*dict).set("budget_tokens", number64(max(leastThinking, output-leastThinking)))
		}
		q.text = encodeJSON(q.body)
	}
	q.output = output
}

// thinking returns the request's thinking budget, 0 when it has none.
func (q *request) thinking() int64 {
	d, _ := q.body.get("thinking").(*dict)
	if d == nil {
		return 0
	}
	budget, _ := whole(d.get("budget_tokens"))
	return budget
}

func number64(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// bid estimates the cost of a request, at worst and on average.
func (p *Prices) bid(q *request) bid {
	size := int64(len(q.text)) - q.pixels
	b := bid{model: q.model, speed: q.speed, geo: q.geo, bytes: len(q.text), output: q.output, stream: q.stream}
	b.tokens = min(size/guessBytes+1+q.usual, maxPrompt)
	m, _ := p.find(q.model)
	prompt := min(size+q.tokens+promptExtra+q.uses*useTokens, maxPrompt) // a token is at least one byte of text
	worst := m.in(prompt, q.speed)
	b.least = leastEver
	if q.thinking() > 0 {
		b.least = 2 * leastThinking
	}
	turns := nanos(q.uses + 1) // after each use the model reads the whole prompt again
	b.input = p.geo(turns*nanos(prompt)*worst.dearestInput(q.text), q.geo) + nanos(q.uses)*p.search
	b.each = p.geo(worst.output, q.geo) + 1 // rounding error
	usual := m.in(b.tokens, q.speed)
	b.guess = p.geo(nanos(b.tokens)*usual.input, q.geo)
	if b.likely = b.guess; bytes.Contains(q.text, cacheWord) {
		b.likely = p.geo(nanos(b.tokens)*usual.read, q.geo)
	}
	return b
}

var (
	cacheWord = []byte(`"cache_control"`)
	hourWord  = []byte(`"1h"`)
)

// dearestInput returns the highest price that a prompt token can have, given what the request asks to cache.
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

package gateway

import (
	"slices"
)

// finish settles the call, once.
func (c *call) finish() {
	if c.settled {
		return
	}
	c.settled = true
	s := c.session
	var r reading
	if c.meter != nil {
		r = c.meter.reading()
	}
	if c.number != 0 {
		s.settle(c.number, c.settlement(r))
	}
	if e, ok := c.meter.(*capture); ok && c.number != 0 {
		s.explain(c.bid.model, c.status, errorText(blacken(e.data, c.secrets)))
	}
	if r.failed != "" {
		s.brokeOff(r.failed)
	}
}

// record writes the call down for people, when its client has it already.
func (c *call) record() {
	s := c.session
	took := s.gateway.now().Sub(c.start)
	s.transcript.write(entry{
		Time: c.start.UTC(), Call: c.number, Method: c.request.Method, Path: upstreamPath[c.way], Status: c.status, Millis: took.Milliseconds(),
	}, c.body, &c.kept, c.secrets)
	s.gateway.log.Debug("model call", "session", s.id, "path", upstreamPath[c.way], "status", c.status, "took", took)
}

// settlement says what the call has cost.
func (c *call) settlement(r reading) settlement {
	st := settlement{model: orElse(r.model, c.bid.model), status: c.status}
	gone := c.request.Context().Err() != nil || c.session.ctx.Err() != nil
	if gone && !r.complete && !c.bid.stream {
		r.text = max(r.text, guessBytes*c.bid.output) // an answer in one piece is written to its end, whether somebody waits for it or not
	}
	switch {
	case c.status == 0 && c.sent.Load() && gone:
		// The client left, or the session was ended, after the request had gone out. The API may have worked on it, and charges the input at least.
		c.guess(&st, r, flagLost)
	case c.status == 0 || c.status >= 300:
		// Not answered, or refused: nothing is charged.
	case !r.seen:
		c.guess(&st, r, flagUnread)
	default:
		c.price(&st, r)
	}
	return st
}

// guess books the input by its size, and as much output as went by.
func (c *call) guess(st *settlement, r reading, flag string) {
	input, output := c.bid.tokens, r.text/guessBytes
	c.book(st, reading{usage: apiUsage{Input: &input, Output: &output}})
	st.flags = append(st.flags, flag)
}

// price books the usage that the answer told. One that broke off told its input at the start, but its output only at the
// end: what went by is counted instead.
func (c *call) price(st *settlement, r reading) {
	if !r.complete {
		st.flags = append(st.flags, flagCut)
		if output := r.text / guessBytes; output > amount(r.usage.Output) {
			r.usage.Output = &output
		}
	}
	c.book(st, r)
}

func (c *call) book(st *settlement, r reading) {
	g := c.session.gateway
	var unknown string
	st.counts, st.cost, unknown = g.prices.cost(r.usage, c.bid.model, r.model)
	st.billed = true
	if unknown != "" {
		st.flags = append(st.flags, flagUnknown)
		if g.unpriced.first(unknown) {
			g.log.Warn("model is not in the price list; it is priced as the dearest one there", "model", unknown, "as", g.prices.dear)
		}
	}
	st.flags = slices.Clip(st.flags)
}

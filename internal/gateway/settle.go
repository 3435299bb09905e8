package gateway

import (
	"cmp"
	"slices"
)

// finish settles the call. Only the first call has an effect.
func (c *call) finish() {
	if c.settled {
		return
	}
	c.settled = true
	s := c.session
	var r reading
	if c.answer.meter != nil {
		r = c.answer.meter.reading()
	}
	if c.number != 0 {
		s.account.settle(c.number, c.settlement(r))
	}
	if e, ok := c.answer.meter.(*capture); ok && c.number != 0 {
		s.health.explain(c.bid.model, c.answer.status, errorOf(blacken(e.data, c.secrets), s.gateway.now()))
	}
	switch {
	case r.failed != "":
		s.health.brokeOff(r.failed)
	case c.answer.whole && c.number != 0 && c.answer.status < 300:
		s.health.answered()
	}
}

// record adds the call to the transcript, after its client has the answer.
func (c *call) record() {
	s := c.session
	took := s.gateway.now().Sub(c.start)
	s.transcript.write(entry{
		Time: c.start.UTC(), Call: c.number, Method: c.request.Method, Path: c.path, Status: c.answer.status, Millis: took.Milliseconds(),
	}, c.body, &c.answer.kept, c.secrets)
	s.gateway.log.Debug("model call", "session", s.id, "path", c.path, "status", c.answer.status, "took", took)
}

// settlement determines the cost of the call.
func (c *call) settlement(r reading) settlement {
	st := settlement{model: cmp.Or(r.model, c.bid.model), status: c.answer.status}
	gone := c.request.Context().Err() != nil || c.session.ctx.Err() != nil
	if (gone || c.answer.brokenOff(r)) && !r.complete && !r.seen {
		r.text = max(r.text, guessBytes*c.unseen())
	}
	switch {
	case c.answer.status == 0 && c.sent.Load() && gone:
		// The client left, or the session ended, after the request was sent. The API may have worked on it, and charges
		// at least the input.
		c.guess(&st, r, flagLost)
	case c.answer.status == 0 || c.answer.status >= 300:
		// No answer or a refusal: nothing is charged.
	case !r.seen:
		c.guess(&st, r, flagUnread)
	default:
		c.price(&st, r)
	}
	return st
}

// brokenOff tells whether the endpoint or the network has broken a stream off. One that just ends is, too: proxies close it in good order. An
// answer in one piece was made before it came, so what has arrived of it tells more than what was asked for.
func (a *answer) brokenOff(r reading) bool {
	_, streams := a.meter.(*streamMeter)
	return streams && !r.over && r.failed == ""
}

// tokensPerSecond is how fast a model thinks that does not show it: about what large models give.
const tokensPerSecond = 100

// unseen estimates the output that was made for an answer that was broken off, whether it has arrived or not.
func (c *call) unseen() int64 {
	switch {
	case !c.bid.stream:
		return c.bid.output // the answer is written to its end even if the client leaves
	case c.api.hides:
		return min(int64(c.session.gateway.now().Sub(c.begun).Seconds()*tokensPerSecond), c.bid.output)
	}
	return 0
}

// guess estimates the cost: the input by its size, the output by the bytes that passed.
func (c *call) guess(st *settlement, r reading, flag string) {
	input, output := c.bid.tokens, c.arrived(r)
	c.book(st, reading{usage: apiUsage{Input: &input, Output: &output, Speed: c.bid.speed, Geo: c.bid.geo}})
	st.flags = append(st.flags, flag)
}

// arrived estimates the output by the bytes that passed. There is no more of it than was asked for.
func (c *call) arrived(r reading) int64 { return min(r.text/guessBytes, c.bid.output) }

// price books the reported usage. An answer that broke off reported its input at the start, but would have reported its
// output only at the end; the output is estimated from the bytes that passed.
func (c *call) price(st *settlement, r reading) {
	if !r.complete {
		st.flags = append(st.flags, flagCut)
		r.usage.Speed, r.usage.Geo = cmp.Or(r.usage.Speed, c.bid.speed), cmp.Or(r.usage.Geo, c.bid.geo)
		if output := c.arrived(r); output > amount(r.usage.Output) {
			r.usage.Output = &output
		}
	}
	c.book(st, r)
}

func (c *call) book(st *settlement, r reading) {
	g := c.session.gateway
	var unknown string
	st.counts, st.cost, unknown = c.api.prices.cost(r.usage, c.bid.model, r.model)
	st.billed = true
	if unknown != "" {
		st.flags = append(st.flags, flagUnknown)
		if g.unpriced.first(unknown) {
			g.log.Warn("model is not in the price list; it is priced as the dearest one there", "model", unknown, "as", c.api.prices.dear)
		}
	}
	st.flags = slices.Clip(st.flags)
}

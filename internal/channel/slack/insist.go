package slack

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

const (
	insistPeriod = 30 * time.Second // how long to retry deliveries that Slack does not repeat
	insistCall   = 10 * time.Second // per try
	insistPause  = time.Second
)

const notNow = "This could not be taken in just now, because Temporal or its workers do not answer. Please do it again in a minute."

// insist retries a press, form or command whose handler failed. Slack redelivers only events, and a person should not
// have to press again after a short outage. The ID stays the same, so it still counts once. If all tries fail, the
// person is told. insist returns false if ctx ended first.
func (s *Slack) insist(ctx context.Context, handle channel.Handle, kind string, payload []byte, h *received) bool {
	bounded, cancel := context.WithTimeout(ctx, insistPeriod)
	defer cancel()
	for s.sleep(bounded, insistPause) == nil {
		understood, a, err := s.once(bounded, insistCall, handle, kind, payload)
		if understood != nil {
			h = understood
		}
		if err == nil {
			if understood != nil {
				s.answer(ctx, h, a)
			}
			return true
		}
		s.log.WarnContext(ctx, "Slack call still not taken in", "kind", kind, "error", err)
	}
	if ctx.Err() != nil {
		return false
	}
	if h != nil {
		s.answer(ctx, h, channel.Answer{Text: notNow})
	}
	return true
}

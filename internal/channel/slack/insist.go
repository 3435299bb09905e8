package slack

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

const (
	insistPeriod = 30 * time.Second // how long we try to take in what Slack does not deliver again
	insistCall   = 10 * time.Second // for each try
	insistPause  = time.Second
)

const notNow = "This could not be taken in just now, because Temporal or its workers do not answer. Please do it again in a minute."

// insist takes in a press, a form or a command that could not be heard in time. Slack delivers only events again; somebody who
// pressed once, while a server comes back, is not to press twice. It counts once all the same: its ID stays. When nothing helps, the
// one who did it is told. It is false when ctx has ended before either.
func (s *Slack) insist(ctx context.Context, hear channel.Handle, kind string, payload []byte, h *heard) bool {
	bounded, cancel := context.WithTimeout(ctx, insistPeriod)
	defer cancel()
	for s.sleep(bounded, insistPause) == nil {
		understood, a, err := s.once(bounded, insistCall, hear, kind, payload)
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

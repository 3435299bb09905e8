package slack

import (
	"context"
	"encoding/json"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

// keptFor is the maximum age of a stored delivery that may still take effect.
const keptFor = 15 * time.Minute

// kept is a delivery that was acknowledged to Slack.
type kept struct {
	Kind    string `json:"kind"`
	Payload []byte `json:"payload"`
}

// keep stores a delivery on disk before it is acknowledged. done removes it.
func (s *Slack) keep(kind string, payload []byte) (done func(), err error) {
	if s.inbox.Dir == "" {
		return func() {}, nil
	}
	b, err := json.Marshal(kept{kind, payload})
	if err != nil {
		return nil, err
	}
	item, err := s.inbox.Put(b, s.now())
	if err != nil {
		return nil, err
	}
	return func() {
		if err := item.Done(); err != nil {
			s.log.Error("A Slack call that was taken in may be taken in again, and counts once", "error", err)
		}
	}, nil
}

// Resume handles what an earlier process had acknowledged but not handled.
func (s *Slack) Resume(ctx context.Context, handle channel.Handle) {
	if s.inbox.Dir == "" {
		return
	}
	left, err := s.inbox.Left()
	if err != nil {
		s.log.ErrorContext(ctx, "What Slack had told before the last end can't be read", "error", err)
	}
	for _, item := range left {
		var k kept
		err := json.Unmarshal(item.Payload, &k)
		if err != nil || s.now().Sub(item.At) > keptFor {
			s.log.WarnContext(ctx, "A Slack call of before the last end is too old or unreadable, and dropped", "at", item.At, "error", err)
		} else if !s.insist(ctx, handle, k.Kind, k.Payload, nil) {
			return
		}
		if err := item.Done(); err != nil {
			s.log.ErrorContext(ctx, "A Slack call that was taken in may be taken in again, and counts once", "error", err)
		}
	}
}

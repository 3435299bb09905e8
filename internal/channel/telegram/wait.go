package telegram

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// trouble waits after a failed poll. It returns an error only for a token that never worked.
func (l *listener) trouble(ctx context.Context, r *refusal) error {
	if ctx.Err() != nil {
		return nil
	}
	if r.code == http.StatusConflict {
		if reason := conflictReason(r); reason != l.conflict {
			l.conflict = reason
			l.log.Warn("Telegram refuses to be polled: "+reason, "error", r)
		}
		// Random, so that two listeners do not collide each time.
		l.wait(ctx, l.backoff.Conflict+rand.N(l.backoff.Conflict/3+1))
		return nil
	}
	l.failures++
	refused := r.tokenRefused() || fault.KindOf(r.cause) == fault.Denied
	if refused && l.token == "" {
		return fault.New(fault.Denied, "Telegram: listen: %w", r).WithHint(tokenHint)
	}
	if l.failures == 1 {
		l.log.Warn("Telegram can't be polled, it is tried again until it answers", "error", r, "token refused", refused)
	}
	l.wait(ctx, max(r.wait, l.after(l.failures)))
	return nil
}

func conflictReason(r *refusal) string {
	if r.says("webhook") {
		return "a webhook is set for the bot, which takes its updates; take it away with deleteWebhook"
	}
	return "another program polls for the same bot, and they take turns now; " +
		"or a webhook is set for it, then take that away with deleteWebhook"
}

// after returns the pause after n consecutive failures, randomly shortened.
func (l *listener) after(n int) time.Duration {
	d := min(l.backoff.First<<min(n-1, 20), l.backoff.Most)
	return d - rand.N(d/4+1)
}

func (l *listener) wait(ctx context.Context, d time.Duration) {
	_ = l.sleep(ctx, d) // fails only when ctx ends, which the loop checks
}

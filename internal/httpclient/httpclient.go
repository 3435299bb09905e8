// Package httpclient holds what the clients of web APIs do alike: it checks the address that a token goes to, says how long to wait between
// tries, and reads times by the clock of the server that answers, for ours may be wrong. It makes no request.
package httpclient

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Now is the server's time where its answer tells it (header Date), else ours.
func Now(h http.Header, ours time.Time) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return ours
}

// RetryAfter reads the header of that name: seconds, which some servers give with a fraction, or a date. A date that has passed is no wait; ok is
// false without a wait that can be read.
func RetryAfter(h http.Header, ours time.Time) (wait time.Duration, ok bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 && s < 1<<30 {
		return time.Duration(s * float64(time.Second)), true
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(Now(h, ours))), true
	}
	return 0, false
}

// Asked returns err as a *fault.Later when the answer with these headers asks for a wait of less than an hour, and as it is otherwise.
func Asked(h http.Header, err error) error {
	if wait, ok := RetryAfter(h, time.Now()); ok && wait > 0 && wait < time.Hour {
		return &fault.Later{After: wait, Err: err}
	}
	return err
}

// WithoutURL returns what a *url.Error wraps, and other errors as they are. The text of a *url.Error has the whole address, which may hold a secret.
func WithoutURL(err error) error {
	if call, ok := errors.AsType[*url.Error](err); ok {
		return call.Err
	}
	return err
}

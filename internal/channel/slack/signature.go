package slack

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxAge is the maximum difference between the time of a request and the clock, either way.
const maxAge = 5 * time.Minute

// Reasons why a request is refused.
var (
	errUnsigned = errors.New("no signature")
	errAge      = errors.New("too old or from the future, by the clock of this machine")
	errForged   = errors.New("the signature is not by our signing secret")
)

// verify checks that Slack signed a request recently.
func verify(h http.Header, body []byte, secret string, now time.Time) error {
	stamp := h.Get("X-Slack-Request-Timestamp")
	given, ok := strings.CutPrefix(h.Get("X-Slack-Signature"), "v0=")
	if stamp == "" || !ok {
		return errUnsigned
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return errUnsigned
	}
	if age := now.Unix() - seconds; age > int64(maxAge/time.Second) || age < -int64(maxAge/time.Second) {
		return errAge
	}
	sum, err := hex.DecodeString(given)
	if err != nil {
		return errForged
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("v0:" + stamp + ":"))
	mac.Write(body)
	if !hmac.Equal(mac.Sum(nil), sum) {
		return errForged
	}
	return nil
}

package whatsapp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
)

type refused struct {
	Error struct {
		Message string `json:"message"`
		Code    *int   `json:"code"`
		Subcode int    `json:"error_subcode"`
		Data    struct {
			Details string `json:"details"`
		} `json:"error_data"`
	} `json:"error"`
}

// refusal converts an error answer to a fault. The platform's text about a refused token is omitted, as it may contain
// the token.
func refusal(resp *http.Response, answer []byte, token string, p payload) error {
	var r refused
	_ = json.Unmarshal(answer, &r) // an invalid body has no code
	what := "whatsapp answers HTTP " + strconv.Itoa(resp.StatusCode)
	m := byStatus(resp.StatusCode)
	if code := r.Error.Code; code != nil {
		what += ", code " + strconv.Itoa(*code)
		m = byCode(*code, r.Error.Subcode, m)
	}
	if m.hint != newToken {
		what += words(r, token)
	}
	if m.kind == fault.NotFound && m.hint == number {
		what += " (to " + masked(p.To+p.Recipient) + ")"
	}
	f := fault.New(m.kind, "%s", what)
	if m.hint != "" {
		f = f.WithHint("%s", m.hint)
	}
	if m.wait == 0 {
		return f
	}
	return &fault.Later{After: wait(resp.Header, m.wait), Err: f}
}

func byCode(code, subcode int, otherwise meaning) meaning {
	switch {
	case code >= 200 && code <= 299:
		return meaning{kind: fault.Denied, hint: newToken}
	case code == 100 && subcode == 33: // no such id, or no access to it
		return meanings[33]
	}
	if m, known := meanings[code]; known {
		return m
	}
	return otherwise
}

func byStatus(status int) meaning {
	switch {
	case status == http.StatusTooManyRequests:
		return meaning{kind: fault.Infra, wait: time.Minute}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return meaning{kind: fault.Denied, hint: newToken}
	case status == http.StatusNotFound:
		return meaning{kind: fault.NotFound, hint: meanings[33].hint}
	case status >= 500 || status == http.StatusRequestTimeout:
		return meaning{kind: fault.Infra}
	case status >= 300 && status < 400:
		return meaning{kind: fault.Input, hint: "the base URL answers with a redirect; write the address behind it"}
	}
	return meaning{kind: fault.Input}
}

// words returns the platform's message on one line, without the token.
func words(r refused, token string) string {
	said := r.Error.Message
	if r.Error.Data.Details != "" && r.Error.Data.Details != said {
		said += ": " + r.Error.Data.Details
	}
	said = excerpt.OneLine(strings.ReplaceAll(said, token, "…"))
	if said == "" {
		return ""
	}
	return ": " + channel.Shorten(said, 300)
}

// longest is the maximum pause, whatever an answer asks for.
const longest = 24 * time.Hour

// wait returns the requested pause: Retry-After, or the minutes in the header about the account's usage.
func wait(h http.Header, otherwise time.Duration) time.Duration {
	if pause, ok := httpclient.RetryAfter(h, time.Now()); ok && pause > 0 {
		return min(pause, longest)
	}
	var usage map[string][]struct {
		Minutes int `json:"estimated_time_to_regain_access"`
	}
	if err := json.Unmarshal([]byte(h.Get("X-Business-Use-Case-Usage")), &usage); err != nil {
		return otherwise
	}
	most := 0
	for _, list := range usage {
		for _, u := range list {
			most = max(most, u.Minutes)
		}
	}
	if most == 0 {
		return otherwise
	}
	return min(time.Duration(min(most, 1<<20))*time.Minute, longest)
}

// masked shows only the end of a number, enough to recognize it.
func masked(number string) string {
	if len(number) <= 4 {
		return "…"
	}
	return "…" + number[len(number)-4:]
}

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
)

// refused is the body of an answer that is an error.
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

// refusal makes a fault of an answer. The platform's words about a refused token are left out, as they may hold it.
func refusal(resp *http.Response, answer []byte, token string, p payload) error {
	var r refused
	_ = json.Unmarshal(answer, &r) // what can't be read has no code
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
	case code == 100 && subcode == 33: // nothing of that id, or not for us
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

// words are the platform's own, in one line and without the token.
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

// longest is how long we stay away at most, whatever an answer says.
const longest = 24 * time.Hour

// wait reads when to come back: seconds, or the minutes that the header of an account's usage gives.
func wait(h http.Header, otherwise time.Duration) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(h.Get("Retry-After"))); err == nil && n > 0 {
		return min(time.Duration(min(n, 1<<20))*time.Second, longest)
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

// masked keeps the end of a number: enough for those who know it.
func masked(number string) string {
	if len(number) <= 4 {
		return "…"
	}
	return "…" + number[len(number)-4:]
}

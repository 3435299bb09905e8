package gateway

import (
	"errors"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/redact"
)

// hopByHop are the headers of one connection; a proxy does not pass them on (RFC 9110, 7.6.1).
var hopByHop = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// credentials are the headers that a key or a login is shown in.
var credentials = []string{"X-Api-Key", "Authorization"}

// apiVersion is the one version of the API that the list of what is let through was made for.
const apiVersion = "2023-06-01"

// pick gives the headers of an agent's request that are passed on, with our credential in place of what it showed.
func (v vendor) pick(from http.Header, betas []string, c Credential) (http.Header, error) {
	h := http.Header{"Accept-Encoding": {"identity"}, "Content-Type": {"application/json"}, "Anthropic-Version": {apiVersion}}
	h.Set("User-Agent", "") // keeps net/http from adding its own
	for _, name := range v.header {
		if value := from.Get(name); value != "" {
			h.Set(name, value)
		}
	}
	if len(betas) > 0 {
		h.Set("Anthropic-Beta", strings.Join(betas, ","))
	}
	if c.Kind == Login {
		for _, name := range credentials {
			if value := from.Get(name); value != "" {
				h.Set(name, value)
			}
		}
		return h, nil
	}
	return h, c.show(h)
}

// show puts a credential into a header.
func (c Credential) show(h http.Header) error {
	value := strings.TrimSpace(c.Value)
	switch {
	case value == "":
		return errors.New("the credential is empty")
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("the credential holds characters that no key has")
	case c.Kind == APIKey:
		h.Set("X-Api-Key", value)
	case c.Kind == OAuth || c.Kind == Bearer:
		h.Set("Authorization", "Bearer "+value)
	default:
		return errors.New("the credential is of no known kind")
	}
	return nil
}

// endToEnd copies the headers of an answer that are meant for the agent.
func endToEnd(h http.Header, key *redact.Cover) http.Header {
	c := h.Clone()
	for _, field := range h["Connection"] {
		for name := range strings.SplitSeq(field, ",") {
			c.Del(textproto.TrimString(name))
		}
	}
	for _, name := range append(hopByHop, "Set-Cookie") {
		c.Del(name)
	}
	for name, values := range c {
		for i, v := range values {
			text := []byte(v)
			key.In(text)
			values[i] = string(text)
		}
		if key.Within(name) {
			delete(c, name)
		}
	}
	return c
}

// secrets lists the texts that must not be written down: what the call is shown to be ours by.
func secrets(h http.Header, token string) []string {
	list := []string{token}
	for _, name := range credentials {
		for _, v := range h[name] {
			list = append(list, strings.TrimPrefix(v, "Bearer "))
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return len(s) < 8 })
}

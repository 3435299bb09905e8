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

// credentials are the headers that carry a key or a login.
var credentials = []string{"X-Api-Key", "Authorization"}

// apiVersion is the API version that the list of allowed requests was made for.
const apiVersion = "2023-06-01"

// pick returns the headers to send upstream: the allowed ones of the agent's request, with the real credential in place
// of the session's token.
func (v vendor) pick(from http.Header, betas []string, c Credential) (http.Header, error) {
	h := http.Header{"Accept-Encoding": {"identity"}, "Content-Type": {"application/json"}}
	for name, value := range v.fixed {
		h.Set(name, value)
	}
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

// show sets the header that carries a credential.
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

// endToEnd copies the headers of an answer that the agent may see.
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

// secrets lists the credentials of a call, which must not be written to disk.
func secrets(h http.Header, token string) []string {
	list := []string{token}
	for _, name := range credentials {
		for _, v := range h[name] {
			list = append(list, strings.TrimPrefix(v, "Bearer "))
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return len(s) < 8 })
}

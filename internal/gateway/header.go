package gateway

import (
	"errors"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// hopByHop are the headers of one connection; a proxy does not pass them on (RFC 9110, 7.6.1).
var hopByHop = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// ours are the headers of a request that the gateway sets itself or that the API has no use for.
var ours = []string{"Accept-Encoding", "Content-Length", "Cookie", "Expect", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// credentials are the headers that a key or a login is shown in.
var credentials = []string{"X-Api-Key", "Authorization"}

// endToEnd copies the headers that are meant for the other end.
func endToEnd(h http.Header) http.Header {
	c := h.Clone()
	for _, field := range h["Connection"] {
		for name := range strings.SplitSeq(field, ",") {
			c.Del(textproto.TrimString(name))
		}
	}
	for _, name := range hopByHop {
		c.Del(name)
	}
	return c
}

// requestHeader makes the header of a call upstream: the agent's own, with our credential in place of what it showed.
func requestHeader(from http.Header, c Credential) (http.Header, error) {
	h := endToEnd(from)
	for _, name := range ours {
		h.Del(name)
	}
	h.Set("Accept-Encoding", "identity") // the answer is read on its way
	if _, ok := h["User-Agent"]; !ok {
		h.Set("User-Agent", "") // keeps net/http from adding its own
	}
	if c.Kind == Login {
		return h, nil
	}
	for _, name := range credentials {
		h.Del(name)
	}
	value := strings.TrimSpace(c.Value)
	switch {
	case value == "":
		return nil, errors.New("the credential is empty")
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the credential holds characters that no key has")
	case c.Kind == APIKey:
		h.Set("X-Api-Key", value)
	case c.Kind == OAuth || c.Kind == Bearer:
		h.Set("Authorization", "Bearer "+value)
	default:
		return nil, errors.New("the credential is of no known kind")
	}
	return h, nil
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

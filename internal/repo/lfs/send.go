package lfs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
)

// call makes one request. It sends the login if the URL is on the repository's own host and the server has not supplied another.
func (r Remote) call(
	ctx context.Context, method string, a action, body io.Reader, length int64, kind string, read func(io.Reader) error,
) error {
	to, err := url.Parse(a.Href)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return fault.New(fault.Denied, "the LFS server of %s names an address that can't be called", r.Name)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.Href, body)
	if err != nil {
		return fmt.Errorf("call the LFS server of %s: %w", r.Name, err)
	}
	req.ContentLength = length
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if kind == mediaType {
		req.Header.Set("Accept", mediaType)
	}
	for name, value := range a.Header {
		req.Header.Set(name, value)
	}
	if own, err := url.Parse(r.URL); err == nil && r.Login != "" && req.Header.Get("Authorization") == "" && sameOrigin(own, to) {
		req.Header.Set("Authorization", r.Login)
	}
	return r.send(req, read)
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// send makes the request and turns a failure into a fault. URLs are left out of the message, because they may contain signatures.
func (r Remote) send(req *http.Request, read func(io.Reader) error) error {
	res, err := r.Client.Do(req)
	if err != nil {
		if req.Context().Err() != nil {
			return context.Cause(req.Context())
		}
		return fault.New(fault.Infra, "the LFS server of %s at %s can't be reached: %w", r.Name, req.URL.Host, httpclient.WithoutURL(err))
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		return r.judge(res)
	}
	if read == nil {
		return nil
	}
	if err := read(res.Body); err != nil {
		return fault.New(fault.Infra, "read what the LFS server of %s sends: %w", r.Name, err)
	}
	return nil
}

// judge turns an unsuccessful response into an error.
func (r Remote) judge(res *http.Response) error {
	said := fmt.Sprintf("%s at %s: %s", res.Request.Method, res.Request.URL.Host, res.Status)
	var why struct {
		Message string `json:"message"`
	}
	if json.NewDecoder(io.LimitReader(res.Body, 4<<10)).Decode(&why) == nil && why.Message != "" {
		said += fmt.Sprintf(": %.200q", why.Message)
	}
	switch code := res.StatusCode; {
	case code == http.StatusNotFound || code == http.StatusGone || code == http.StatusNotImplemented || code/100 == 3:
		return fault.New(fault.NotFound, "%s has no LFS server at its address (%s)", r.Name, said).
			WithHint("turn Git LFS on for the repository, or name it by its present address")
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return fault.New(fault.Denied, "the LFS server of %s does not let us in (%s)", r.Name, said).
			WithHint("give the worker a token that may push there, and look whether Git LFS is on and has room left")
	case code == http.StatusInsufficientStorage || code == 509: // 509: bandwidth limit exceeded
		return fault.New(fault.Denied, "the LFS server of %s has no room left (%s)", r.Name, said).WithHint("make or buy room there")
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return fault.New(fault.Infra, "the LFS server of %s fails (%s)", r.Name, said)
	}
	return fault.New(fault.Denied, "the LFS server of %s refuses (%s)", r.Name, said)
}

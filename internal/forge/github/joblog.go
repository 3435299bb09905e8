package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/httpclient"
)

const (
	maxLog  = 20 << 20 // bytes of a log that are read
	logTail = 64 << 10 // last bytes that are kept
)

// jobLog returns the end of the log of a job, "" when the log is gone or the token may not read it. GitHub redirects to a signed
// address on another host, which does not get the token.
func (l *snapshot) jobLog(ctx context.Context, id int64) (string, error) {
	var to string
	err := l.repeat(ctx, "find the log of a job", func(c *gh.Client) (resp *gh.Response, err error) {
		to, resp, err = l.redirected(ctx, c, l.path("actions/jobs/%d/logs", id))
		return resp, err
	})
	if answered(err, http.StatusNotFound, http.StatusGone, http.StatusForbidden) {
		l.log.Debug("GitHub: there is no log", "job", id, "error", err)
		return "", nil
	}
	if err != nil || to == "" {
		return "", err
	}
	for {
		text, err := l.fetchLog(ctx, to)
		if err == nil {
			return text, nil
		}
		var p *problem
		if errors.As(err, &p) && !p.passing {
			l.log.Debug("GitHub: the log can't be read", "job", id, "error", err)
			return "", nil
		}
		if again, err := l.again(ctx, "read the log of a job", err); !again {
			return "", err
		}
	}
}

// redirected requests a path that GitHub answers with a redirect, and returns its address.
func (l *snapshot) redirected(ctx context.Context, c *gh.Client, path string) (string, *gh.Response, error) {
	stay := c.Client()
	stay.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if checkRedirect(req, via) != nil || req.Response.StatusCode == http.StatusFound {
			return http.ErrUseLastResponse
		}
		return nil
	}
	req, err := c.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return "", nil, err
	}
	resp, err := gh.NewClient(stay).BareDo(ctx, req)
	if resp == nil || resp.Response == nil || resp.StatusCode != http.StatusFound {
		if err == nil { // no redirect: the log itself, or a page of a proxy
			resp.Body.Close()
		}
		return "", resp, err
	}
	resp.Body.Close()
	to, err := resp.Location()
	if err != nil || !l.safe(to) {
		l.warn("#%d: the log of a job is at an address that can't be trusted", l.number)
		return "", resp, nil
	}
	return to.String(), resp, nil
}

// safe tells whether an address may be read: only over TLS, except from a GitHub on this machine.
func (l *snapshot) safe(to *url.URL) bool {
	local := l.base != nil && l.base.Scheme == "http"
	return to.Host != "" && to.User == nil && (to.Scheme == "https" || to.Scheme == "http" && local && httpclient.Loopback(to.Hostname()))
}

// fetchLog reads the end of the log at an address. Of a log that is too long it requests only the end.
func (l *snapshot) fetchLog(ctx context.Context, to string) (string, error) {
	resp, err := l.plainGet(ctx, to, -1)
	if err != nil {
		return "", err
	}
	if resp.StatusCode == http.StatusOK && resp.ContentLength > maxLog {
		resp.Body.Close()
		if resp, err = l.plainGet(ctx, to, resp.ContentLength-logTail); err != nil {
			return "", err
		}
	}
	defer resp.Body.Close()
	if s := resp.StatusCode; s != http.StatusOK && s != http.StatusPartialContent {
		return "", &problem{status: s, message: "the host of the logs refuses", passing: s >= 500 || s == http.StatusTooManyRequests}
	}
	text, err := tail(io.LimitReader(resp.Body, maxLog), logTail)
	if err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", &problem{message: "the log breaks off: " + httpclient.WithoutURL(err).Error(), passing: true}
	}
	return text, nil
}

// plainGet reads without the token, starting at a byte unless from is negative.
func (l *snapshot) plainGet(ctx context.Context, to string, from int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to, nil)
	if err != nil {
		return nil, &problem{message: "the address of the log is none"}
	}
	req.Header.Set("User-Agent", "longshift")
	if from >= 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", from))
	}
	resp, err := l.http.Do(req)
	switch {
	case err == nil:
		return resp, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, errRedirect):
		return nil, &problem{message: "the host of the logs sends elsewhere"}
	}
	// The address is left out: its signature is a secret while it is valid.
	return nil, &problem{message: httpclient.WithoutURL(err).Error(), passing: true}
}

// tail reads everything and keeps the last bytes, in whole lines where possible.
func tail(r io.Reader, keep int) (string, error) {
	buf := make([]byte, 0, 2*keep)
	cut := false
	for {
		if len(buf) == cap(buf) {
			buf = append(buf[:0], buf[len(buf)-keep:]...)
			cut = true
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", err
		}
	}
	if len(buf) > keep {
		buf, cut = buf[len(buf)-keep:], true
	}
	if cut {
		for i, c := range buf {
			if c == '\n' {
				return string(buf[i+1:]), nil
			}
		}
	}
	return string(buf), nil
}

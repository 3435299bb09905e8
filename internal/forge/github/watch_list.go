package github

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"
)

const (
	overlap   = time.Minute // a change may appear in lists this much later than its time
	listPages = 20          // of 100 entries in one poll; the next one continues
	maxETag   = 100         // bytes; GitHub's have 68
)

// place is where a poll of a list continues.
type place struct {
	Since time.Time `json:"since,omitzero"`  // by GitHub's clock
	Tag   string    `json:"tag,omitempty"`   // ETag of the list from Since on
	First bool      `json:"first,omitempty"` // the first listing has been left to the next poll
}

// first reports whether no poll has read the list to its end.
func (p place) first() bool { return p.First || p == (place{}) }

// changed reads a list, sorted by the time of the last change, from a place on. It returns the place for the next poll, and whether
// this one has read everything. each returns the time of an entry's change, and whether it has added an event; after most events the
// poll ends.
//
// Since stays the same while nothing changes, because the ETag belongs to the address with that time in it. After a full page the list
// is read on by time, not by page number: an entry that changes meanwhile moves to the end, and those after it would move to a page
// that was already read.
func changed[T any](ctx context.Context, p *poll, what, path string, q url.Values, from place, most int,
	each func(T) (time.Time, bool, error)) (place, bool, error) {
	q.Set("per_page", strconv.Itoa(fullPage))
	newest, reached, told, first := from.Since, from.Since, 0, from.first()
	for page, read := 1, 1; ; page, read = page+1, read+1 {
		if !reached.IsZero() {
			q.Set("since", reached.UTC().Format(time.RFC3339))
		}
		a, err := get[[]T](ctx, p.session, what, pageOf(path+"?"+q.Encode(), page), from.Tag)
		if err != nil || a.unchanged {
			return from, err == nil, err
		}
		from.Tag = ""
		for _, entry := range a.value {
			at, ok, err := each(entry)
			if err != nil {
				return from, false, err
			}
			if at.After(newest) {
				newest = at
			}
			if ok {
				told++
			}
			if told >= most && newest.After(from.Since) {
				return place{Since: newest, First: first}, false, nil
			}
		}
		switch {
		case a.next != 0 && read < listPages:
			if newest.After(reached) {
				reached, page = newest, 0
			}
			continue
		case a.next != 0:
			return place{Since: newest, First: first}, false, nil
		}
		if next := earlier(newest, p.at.Add(-overlap)); next.After(from.Since) {
			return place{Since: next}, true, nil
		}
		from.First = false
		if read == 1 && len(a.value) < fullPage { // the tag of a full page would not show what follows it
			from.Tag = a.tag
		}
		return from, true, nil
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// pageOf adds the number of a page to a path with a query.
func pageOf(path string, page int) string {
	if page <= 1 {
		return path
	}
	return path + "&page=" + strconv.Itoa(page)
}

// got is the answer to a conditional request.
type got[T any] struct {
	value     T
	unchanged bool
	tag       string
	next      int         // page
	header    http.Header // also of a refusal
}

// get reads a path. With the ETag of an earlier answer, an unchanged one costs nothing and is returned as unchanged.
func get[T any](ctx context.Context, s *session, what, path, tag string) (got[T], error) {
	var a got[T]
	err := s.repeat(ctx, what, func(c *gh.Client) (*gh.Response, error) {
		a = got[T]{}
		req, err := c.NewRequest(http.MethodGet, path, nil)
		if err != nil {
			return nil, err
		}
		if tag != "" {
			req.Header.Set("If-None-Match", tag)
		}
		resp, err := c.Do(ctx, req, &a.value)
		if resp != nil && resp.Response != nil {
			a.header = resp.Header
		}
		if resp != nil && resp.Response != nil && resp.StatusCode == http.StatusNotModified && tag != "" {
			a.unchanged = true
			return resp, nil
		}
		if err != nil {
			return resp, err
		}
		a.next = resp.NextPage
		if t := resp.Header.Get("Etag"); len(t) <= maxETag && !strings.ContainsAny(t, "\r\n") {
			a.tag = t
		}
		return resp, nil
	})
	return a, err
}

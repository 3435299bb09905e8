package github

import (
	"context"
	"encoding/json"
	"net/url"
)

const (
	fullPage = 100 // entries
	maxPages = 30  // of one list
)

// What a look reads, by the letter that stands for it in a stamp.
const (
	kindPull     = 'p'
	kindBase     = 'b'
	kindReviews  = 'r'
	kindLines    = 'l'
	kindTalk     = 't'
	kindRuns     = 'c'
	kindStatuses = 's'
)

// names are for errors.
var names = map[byte]string{
	kindPull: "read pull request", kindBase: "read base branch", kindReviews: "list reviews", kindLines: "list comments on lines",
	kindTalk: "list comments", kindRuns: "list checks", kindStatuses: "list commit statuses",
}

// at is the path of a page.
func (l *look) at(kind byte, number int) string {
	switch kind {
	case kindPull:
		return l.path("pulls/%d", l.number)
	case kindBase:
		return l.path("branches/%s", url.PathEscape(l.Base))
	case kindReviews:
		return pageOf(l.path("pulls/%d/reviews?per_page=100", l.number), number)
	case kindLines:
		return pageOf(l.path("pulls/%d/comments?per_page=100", l.number), number)
	case kindTalk:
		return pageOf(l.path("issues/%d/comments?per_page=100", l.number), number)
	case kindRuns:
		return pageOf(l.path("commits/%s/check-runs?filter=latest&per_page=100", url.PathEscape(l.Head)), number)
	}
	return pageOf(l.path("commits/%s/status?per_page=100", url.PathEscape(l.Head)), number)
}

// page is one answer of GitHub that was read already.
type page struct {
	body json.RawMessage
	next int
	tag  string
}

// pageAt reads one page, and notes its tag.
func pageAt[T any](ctx context.Context, l *look, kind byte, number int) (v T, next int, err error) {
	path := l.at(kind, number)
	p, ok := l.have[path]
	if !ok {
		a, err := get[json.RawMessage](ctx, l.session, names[kind], path, "")
		if err != nil {
			return v, 0, err
		}
		p = page{a.value, a.next, a.tag}
	}
	if err := json.Unmarshal(p.body, &v); err != nil {
		return v, 0, l.fault(names[kind], &problem{message: "the answer can't be used: " + err.Error(), passing: true})
	}
	if p.tag == "" {
		l.untold = true
	}
	l.have[path] = p
	l.tags = append(l.tags, tagged{kind, number, p.tag})
	return v, p.next, nil
}

// listAt reads all pages of a list.
func listAt[T any](ctx context.Context, l *look, kind byte) ([]T, error) {
	return pagesAt(ctx, l, kind, func(part []T) []T { return part })
}

// pagesAt reads all pages, each of which holds a part of a list. After a full page the next one is read although GitHub names none: when
// an entry is added there, the full one stays as it was, and so does its tag.
func pagesAt[P, T any](ctx context.Context, l *look, kind byte, entries func(P) []T) ([]T, error) {
	var all []T
	for number := 1; ; number++ {
		part, next, err := pageAt[P](ctx, l, kind, number)
		if err != nil {
			return nil, err
		}
		list := entries(part)
		all = append(all, list...)
		if next == 0 && len(list) < fullPage {
			return all, nil
		}
		if number == maxPages {
			l.untold = true
			l.warn("#%d: %s: there are more than %d pages", l.number, names[kind], maxPages)
			return all, nil
		}
	}
}

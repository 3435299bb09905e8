package github

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
)

const (
	fullPage = 100 // entries
	maxPages = 30  // of one list
)

// kind is a kind of page that a snapshot reads: the letter for it in a stamp. For the jobs of a run, a dot and the number of the run
// follow.
type kind string

const (
	kindPull     kind = "p"
	kindBase     kind = "b"
	kindReviews  kind = "r"
	kindLines    kind = "l"
	kindComments kind = "t"
	kindRuns     kind = "c"
	kindActions  kind = "a"
	kindJobs     kind = "j"
	kindStatuses kind = "s"
)

// ofRun returns the kind for the jobs of a run.
func ofRun(id int64) kind { return kindJobs + kind("."+strconv.FormatInt(id, 10)) }

// run returns the run whose jobs the pages list, 0 for other kinds.
func (k kind) run() int64 {
	_, text, _ := strings.Cut(string(k), ".")
	id, _ := strconv.ParseInt(text, 10, 64)
	return id
}

func (k kind) step() string { return steps[k[:1]] }

// known tells whether a kind read from a stamp exists.
func (k kind) known() bool {
	return k.step() != "" && (k[:1] == kindJobs) == (k.run() > 0) && (k == k[:1] || k == ofRun(k.run()))
}

var steps = map[kind]string{
	kindPull: "read pull request", kindBase: "read base branch", kindReviews: "list reviews", kindLines: "list comments on lines",
	kindComments: "list comments", kindRuns: "list checks", kindStatuses: "list commit statuses",
	kindActions: "list runs of GitHub Actions", kindJobs: "list jobs of GitHub Actions",
}

func (l *snapshot) at(k kind, number int) string {
	switch k[:1] {
	case kindPull:
		return l.path("pulls/%d", l.number)
	case kindBase:
		return l.path("branches/%s", url.PathEscape(l.Base))
	case kindReviews:
		return pageOf(l.path("pulls/%d/reviews?per_page=100", l.number), number)
	case kindLines:
		return pageOf(l.path("pulls/%d/comments?per_page=100", l.number), number)
	case kindComments:
		return pageOf(l.path("issues/%d/comments?per_page=100", l.number), number)
	case kindRuns:
		return pageOf(l.path("commits/%s/check-runs?filter=latest&per_page=100", url.PathEscape(l.Head)), number)
	case kindActions:
		return pageOf(l.path("actions/runs?head_sha=%s&exclude_pull_requests=true&per_page=100", url.QueryEscape(l.Head)), number)
	case kindJobs:
		return pageOf(l.path("actions/runs/%d/jobs?filter=latest&per_page=100", k.run()), number)
	}
	return pageOf(l.path("commits/%s/status?per_page=100", url.PathEscape(l.Head)), number)
}

// page is an answer of GitHub that unchanged has read.
type page struct {
	body json.RawMessage
	next int
	tag  string
}

// pageAt reads one page and records its tag and hash.
func pageAt[T any](ctx context.Context, l *snapshot, k kind, number int) (v T, next int, err error) {
	path := l.at(k, number)
	p, ok := l.have[path]
	if !ok {
		a, err := get[json.RawMessage](ctx, l.session, k.step(), path, "")
		if err != nil {
			return v, 0, err
		}
		p = page{a.value, a.next, a.tag}
	}
	if err := json.Unmarshal(p.body, &v); err != nil {
		return v, 0, l.fault(k.step(), &problem{message: "the answer can't be used: " + err.Error(), passing: true})
	}
	if p.tag == "" {
		l.untagged = true
	}
	l.have[path] = p
	l.tags = append(l.tags, tagged{k, number, p.tag, bodySum(p.body)})
	return v, p.next, nil
}

// listAt reads all pages of a list.
func listAt[T any](ctx context.Context, l *snapshot, k kind) ([]T, error) {
	return pagesAt(ctx, l, k, func(part []T) []T { return part })
}

// pagesAt reads all pages of a list. After a full page it reads the next one even when GitHub names none: when an entry is added there,
// the full page and its tag stay the same.
func pagesAt[P, T any](ctx context.Context, l *snapshot, k kind, entries func(P) []T) ([]T, error) {
	var all []T
	for number := 1; ; number++ {
		part, next, err := pageAt[P](ctx, l, k, number)
		if err != nil {
			return nil, err
		}
		list := entries(part)
		all = append(all, list...)
		if next == 0 && len(list) < fullPage {
			return all, nil
		}
		if number == maxPages {
			l.untagged = true
			l.warn("#%d: %s: there are more than %d pages", l.number, k.step(), maxPages)
			return all, nil
		}
	}
}

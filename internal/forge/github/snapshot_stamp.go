package github

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

const maxStamp = 1 << 10 // bytes

// tagged is a page that was read, with its ETag and its hash, "" when the stamp has none.
type tagged struct {
	kind kind
	page int
	tag  string
	sum  string
}

// stamp is what one snapshot leaves for the next: enough to ask GitHub whether any page has changed.
type stamp struct {
	Head string   `json:"h,omitempty"` // commit whose checks were read
	Base string   `json:"b,omitempty"`
	Till int64    `json:"u,omitempty"` // from this Unix time on less counts as pending
	Pull string   `json:"p"`           // hash of the pull request's own fields
	Tags []string `json:"t,omitempty"` // each: letter of the kind, number of the page, rest of the kind, ":", tag
	Sums string   `json:"s,omitempty"` // hashes of these pages, one after the other
}

// stamp returns the stamp, "" when it could not save requests: there are too many pages, or one has no tag.
func (l *snapshot) stamp(p *gh.PullRequest) string {
	if l.untagged {
		return ""
	}
	s := stamp{Pull: essence(p)}
	if l.State == forge.Open {
		s.Head, s.Base = l.Head, l.Base
	}
	if !l.until.IsZero() {
		s.Till = l.until.Unix()
	}
	for _, t := range l.tags {
		// GitHub finds out whether it can be merged only after this answer, so its tag can't be relied on before that.
		if t.kind == kindPull && l.State == forge.Open && p.Mergeable == nil {
			continue
		}
		s.Tags = append(s.Tags, string(t.kind[:1])+strconv.Itoa(t.page)+string(t.kind[1:])+":"+packTag(t.tag))
		s.Sums += t.sum
	}
	text, err := json.Marshal(s)
	if len(text) > maxStamp { // the tags alone may fit
		s.Sums = ""
		text, err = json.Marshal(s)
	}
	if err != nil || len(text) > maxStamp {
		return ""
	}
	return string(text)
}

// essence identifies a state of a pull request's own fields.
func essence(p *gh.PullRequest) string {
	merge := "unknown"
	if p.Mergeable != nil {
		merge = strconv.FormatBool(*p.Mergeable)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %t %s %q %s %s %t", state(p), p.GetDraft(), p.GetHead().GetSHA(), p.GetBase().GetRef(), merge,
		p.GetMergedBy().GetLogin(), p.GetBase().GetRepo().GetArchived()))
	return hex.EncodeToString(sum[:8])
}

// unchanged asks GitHub whether each page of an earlier snapshot has changed, up to the first that has. A stamp that can't be read
// counts as changed. With another token of an app all tags are wrong, and each page is read to compare its hash. The stamp stays even so: an
// app's token lasts an hour, and by then so do the pauses between such polls.
func (l *snapshot) unchanged(ctx context.Context, seen string) (bool, error) {
	var s stamp
	if seen == "" || len(seen) > maxStamp || json.Unmarshal([]byte(seen), &s) != nil {
		return false, nil
	}
	if s.Till != 0 && l.now().Unix() >= s.Till {
		return false, nil
	}
	l.Head, l.Base = s.Head, s.Base
	tags, err := s.read()
	if err != nil || len(tags) == 0 {
		return false, nil
	}
	defer func() { l.tags, l.untagged = nil, false }()
	if tags[0].kind != kindPull {
		p, _, err := pageAt[*gh.PullRequest](ctx, l, kindPull, 1)
		if err != nil || essence(p) != s.Pull {
			return false, ignoreGone(err)
		}
	}
	if opened, err := l.opened(ctx, s, tags); err != nil || opened {
		return false, err
	}
	for _, t := range tags {
		path := l.at(t.kind, t.page)
		a, err := get[json.RawMessage](ctx, l.session, t.kind.step(), path, t.tag)
		if err != nil {
			return false, ignoreLost(t.kind, err)
		}
		if a.unchanged {
			continue
		}
		l.have[path] = page{a.value, a.next, a.tag}
		if bodySum(a.value) != t.sum {
			return false, nil
		}
	}
	return true, nil
}

// ignoreGone drops the error for a page that is gone: the snapshot reads it again, and can say what is missing.
func ignoreGone(err error) error {
	if answered(err, 404, 410, 422) {
		return nil
	}
	return err
}

// ignoreLost also drops the error for a lost permission: the snapshot can read other pages instead.
func ignoreLost(k kind, err error) error {
	if (k == kindRuns || k[:1] == kindJobs || k == kindActions || k == kindStatuses) && answered(err, 403) {
		return nil
	}
	return ignoreGone(err)
}

// opened tells whether the token may now read what it could not read when the stamp was made. It asks at most once an hour.
func (l *snapshot) opened(ctx context.Context, s stamp, tags []tagged) (bool, error) {
	has := func(k kind) bool { return slices.ContainsFunc(tags, func(t tagged) bool { return t.kind == k }) }
	if s.Head == "" {
		return false, nil // no checks were read
	}
	for _, c := range []struct {
		kind     kind
		resource string
	}{{kindRuns, checksPermission}, {kindActions, actionsPermission}, {kindStatuses, statusPermission}} {
		if has(c.kind) || c.kind == kindActions && has(kindRuns) || !l.mayTry(c.resource) {
			continue
		}
		_, _, err := pageAt[json.RawMessage](ctx, l, c.kind, 1)
		if !l.denied(c.resource, err) {
			return err == nil, ignoreGone(err)
		}
	}
	return false, nil
}

package github

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// brokenError is the error for a signed payload of an unexpected form.
type brokenError struct{ err error }

func (e *brokenError) Error() string { return "payload: " + e.err.Error() }

func (e *brokenError) Unwrap() error { return e.err }

// delivery turns one payload into events.
type delivery struct {
	*webhook
	ctx    context.Context
	event  string // GitHub's name for it
	action string
	sender *gh.User
	owner  string
	name   string
	digest string // of the payload: the same for a redelivery
	all    []forge.Event
}

// handlers lists the events that may concern Longshift. Others are ignored unread.
var handlers = map[string]func(d *delivery, payload any) error{
	"issues":                      onIssue,
	"issue_comment":               onComment,
	"pull_request":                onPull,
	"pull_request_review":         onReview,
	"pull_request_review_comment": onReviewComment,
	"pull_request_review_thread":  onThread,
	"check_run":                   onCheckRun,
	"check_suite":                 onCheckSuite,
	"status":                      onStatus,
	"push":                        onPush,
}

var repositoryForm = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_-]*)/([A-Za-z0-9._-]+)$`)

// events decodes a payload that GitHub has signed.
func (h *webhook) events(ctx context.Context, event string, payload []byte) ([]forge.Event, error) {
	read := handlers[event]
	if read == nil {
		return nil, nil
	}
	var head struct {
		Action     string   `json:"action"`
		Sender     *gh.User `json:"sender"`
		Repository struct {
			FullName string `json:"full_name"`
		} `json:"repository"`
	}
	if err := json.Unmarshal(payload, &head); err != nil {
		return nil, &brokenError{err}
	}
	m := repositoryForm.FindStringSubmatch(head.Repository.FullName)
	if m == nil {
		return nil, &brokenError{fmt.Errorf("%q names no repository", short(head.Repository.FullName))}
	}
	if !h.concerns(m[1], m[2]) {
		return nil, nil
	}
	body, err := gh.ParseWebHook(event, payload)
	if err != nil {
		return nil, &brokenError{err}
	}
	sum := sha256.Sum256(payload)
	d := &delivery{webhook: h, ctx: ctx, event: event, action: head.Action, sender: head.Sender, owner: m[1], name: m[2],
		digest: hex.EncodeToString(sum[:8])}
	if err := read(d, body); err != nil {
		return nil, err
	}
	return d.all, nil
}

// concerns tells whether a repository is configured.
func (h *webhook) concerns(owner, name string) bool {
	for _, r := range h.Repositories {
		o, n, ok := strings.Cut(strings.TrimSpace(r), "/")
		if ok && strings.EqualFold(o, owner) && (n == "*" || strings.EqualFold(n, name)) {
			return true
		}
	}
	return false
}

// ours tells whether a user is the account of the token, whose own acts must not cause events. The token of an app has no account: then
// nobody is.
func (d *delivery) ours(u *gh.User) (bool, error) {
	me, err := d.account()
	return err == nil && me != "" && strings.EqualFold(me, u.GetLogin()), err
}

func (d *delivery) account() (string, error) {
	me, err := d.Account(d.ctx)
	if err != nil {
		return "", fmt.Errorf("ask for our own account: %w", err)
	}
	return me, nil
}

func (d *delivery) add(e forge.Event) {
	e.Host, e.Owner, e.Name = d.host, d.owner, d.name
	e.What = strings.TrimSpace(d.event + " " + short(d.action))
	if e.Actor == "" {
		e.Actor, e.Bot = d.sender.GetLogin(), isBot(d.sender)
	}
	if e.At.IsZero() {
		e.At = d.now()
	}
	e.At = e.At.UTC()
	d.all = append(d.all, e)
}

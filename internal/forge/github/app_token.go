package github

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// renewBefore is how long before its end a token is renewed: a push that has begun with it can go on.
const renewBefore = 10 * time.Minute

// app is the App of a forge, and the tokens of its installations.
type app struct {
	App
	hub  *connection
	name askedOnce // by which it acts: SLUG[bot]

	looking turn // who may look for an installation

	mu        sync.Mutex
	installed map[string]int64 // by lower-case owner/name
	tokens    map[int64]*appToken
}

// appToken is the token of one installation.
type appToken struct {
	turn   // who may read and renew it
	text   string
	ends   time.Time
	pushes bool // it may write contents
}

// turn is a lock that one can stop waiting for: it has room for one.
type turn chan struct{}

func (t turn) begin(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) end() { <-t }

func newApp(a *App, hub *connection) *app {
	own := &app{App: *a, hub: hub, looking: make(turn, 1), installed: map[string]int64{}, tokens: map[int64]*appToken{}}
	own.name = askedOnce{now: hub.now, ask: func(ctx context.Context) (string, error) {
		i, err := own.itself(ctx)
		return botLogin(i.Slug), err
	}}
	return own
}

func (a *app) known(owner, name string) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.installed[strings.ToLower(owner+"/"+name)]
}

func (a *app) found(owner, name string, id int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.installed[strings.ToLower(owner+"/"+name)] = id
}

func (a *app) token(id int64) *appToken {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.tokens[id] == nil {
		a.tokens[id] = &appToken{turn: make(turn, 1)}
	}
	return a.tokens[id]
}

// forget drops what is known of a repository after its token was refused: the app may have been taken away and installed again.
func (a *app) forget(ctx context.Context, owner, name, refused string) {
	a.mu.Lock()
	repository := strings.ToLower(owner + "/" + name)
	id := a.installed[repository]
	if id == 0 {
		id = a.Installation
	}
	delete(a.installed, repository)
	t := a.tokens[id]
	a.mu.Unlock()
	if t == nil || t.begin(ctx) != nil {
		return
	}
	defer t.end()
	if t.text == refused { // another call may have renewed it
		t.text = ""
	}
}

// login takes the app's token for the repository, which is renewed first when its end is near.
func (s *session) login(ctx context.Context) error {
	id, err := s.app.installation(ctx, s.owner, s.name)
	if err != nil {
		return err
	}
	t := s.app.token(id)
	if err := t.begin(ctx); err != nil {
		return err
	}
	defer t.end()
	if left := t.ends.Sub(s.now()); t.text == "" || left <= renewBefore {
		fresh, err := s.app.mint(ctx, id)
		switch {
		case err != nil && t.text != "" && left > time.Minute && fault.KindOf(err) == fault.Infra: // the next call tries again
		case err != nil:
			return err
		default:
			t.text, t.ends, t.pushes = fresh.GetToken(), fresh.GetExpiresAt().Time, fresh.GetPermissions().GetContents() == "write"
		}
	}
	s.key, s.who, s.pushes = t.text, "installation "+strconv.FormatInt(id, 10), t.pushes
	return nil
}

// mint asks for a new token of an installation.
func (a *app) mint(ctx context.Context, id int64) (*gh.InstallationToken, error) {
	s, err := a.asApp(ctx)
	if err != nil {
		return nil, err
	}
	var t *gh.InstallationToken
	err = s.repeat(ctx, "get a token of the app", func(c *gh.Client) (resp *gh.Response, err error) {
		t, resp, err = c.Apps.CreateInstallationToken(ctx, id, &gh.InstallationTokenOptions{})
		return resp, err
	})
	switch {
	case answered(err, http.StatusNotFound):
		return nil, fault.New(fault.Denied, "GitHub: the app has no installation %d: %w", id, err).
			WithHint("install it again, or correct LONGSHIFT_GITHUB_APP_INSTALLATION")
	case err != nil:
		return nil, err
	case t.GetToken() == "" || t.GetExpiresAt().IsZero():
		return nil, fault.New(fault.Infra, "GitHub: the token of the app is missing in the answer")
	}
	if a.Learn != nil {
		a.Learn(t.GetToken())
	}
	return t, nil
}

// GitToken returns what git shows as the password for a repository. A repository without the app is a fault of kind NotFound.
func (c *connection) GitToken(ctx context.Context, r task.Repository) (string, error) {
	s, err := c.visit(ctx, r)
	if err != nil {
		return "", err
	}
	return s.key, nil
}

// botLogin is the user name by which an app acts.
func botLogin(slug string) string { return slug + "[bot]" }

package github

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// loginForm matches the name of a person's account; those of GitHub Enterprise can contain an underscore.
var loginForm = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,99})$`)

// MayWrite implements forge.Watcher. In doubt the answer is no.
func (c *connection) MayWrite(ctx context.Context, r task.Repository, user string) (bool, error) {
	s, err := c.visit(ctx, r)
	if err != nil || !loginForm.MatchString(user) {
		return false, err
	}
	var level *gh.RepositoryPermissionLevel
	err = s.repeat(ctx, "ask what a user may do", func(client *gh.Client) (resp *gh.Response, err error) {
		level, resp, err = client.Repositories.GetPermissionLevel(ctx, s.owner, s.name, user)
		return resp, err
	})
	switch {
	case answered(err, http.StatusNotFound): // no such user, or one who may not see the repository
		return false, nil
	case err != nil:
		return false, err
	}
	u := level.GetUser()
	if isBot(u) || !strings.EqualFold(u.GetLogin(), user) {
		return false, nil
	}
	push, told := u.Permissions["push"]
	return writes(level.GetPermission()) && (push || !told), nil
}

// writes tells whether a role may write. GitHub maps custom roles to one of these, and maintain to write.
func writes(role string) bool {
	switch role {
	case "admin", "maintain", "write":
		return true
	}
	return false
}

// Account returns the user name of the token, or of the app: NAME[bot]. It is "" for an app's token whose app is not known.
func (c *connection) Account(ctx context.Context) (string, error) {
	s := &session{connection: c}
	if c.app == nil {
		if err := s.byToken(ctx); err != nil {
			return "", err
		}
	}
	return s.meIfAny(ctx)
}

// me returns the user name of the token. A token of an app has none, which is a fault of kind Denied.
func (s *session) me(ctx context.Context) (string, error) {
	var u *gh.User
	err := s.repeat(ctx, "ask whose token it is", func(c *gh.Client) (resp *gh.Response, err error) {
		u, resp, err = c.Users.Get(ctx, "")
		return resp, err
	})
	if err != nil {
		return "", err
	}
	if u.GetLogin() == "" {
		return "", fault.New(fault.Denied, "GitHub: the account of the token has no name")
	}
	return u.GetLogin(), nil
}

// meIfAny is me, but returns the name of the app, or "" for an app's token whose app is not known.
func (s *session) meIfAny(ctx context.Context) (string, error) {
	if s.app != nil {
		return s.app.login(ctx)
	}
	me, err := s.me(ctx)
	if answered(err, http.StatusForbidden) {
		return "", nil
	}
	return me, err
}

// askedOnce caches an answer: a name for good, the lack of one for an hour, an error not at all.
type askedOnce struct {
	ask   func(ctx context.Context) (string, error)
	now   func() time.Time
	mu    sync.Mutex
	name  string
	until time.Time // until then there is no name
}

func (a *askedOnce) login(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.name != "" || a.now().Before(a.until) {
		return a.name, nil
	}
	name, err := a.ask(ctx)
	if err != nil {
		return "", err
	}
	a.name = name
	if name == "" {
		a.until = a.now().Add(refusalHolds)
	}
	return name, nil
}

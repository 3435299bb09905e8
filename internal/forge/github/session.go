package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
)

// session is one call of the forge about a repository.
type session struct {
	*connection
	key      string // the token
	who      string // whose it is, for what is remembered of it: an app's token changes
	pushes   bool   // an app's token may push
	renewed  bool   // it was refused once
	owner    string // as GitHub spells it, after resolve
	name     string
	tries    httpclient.Tries
	warnings []string
}

// byToken logs in with the token.
func (s *session) byToken(ctx context.Context) (err error) {
	if s.key, err = s.token(ctx); err != nil {
		return fmt.Errorf("get GitHub token: %w", err)
	}
	if s.key == "" {
		return fault.New(fault.Denied, "there is no GitHub token").WithHint("set LONGSHIFT_GITHUB_TOKEN or LONGSHIFT_GITHUB_APP_ID")
	}
	s.who = s.key
	return nil
}

// loginAgain tells whether a request that was refused for its token is to be made with a new one, which only an app can get.
func (s *session) loginAgain(ctx context.Context) bool {
	if s.app == nil || s.owner == "" || s.renewed {
		return false
	}
	s.renewed = true
	s.app.forget(ctx, s.owner, s.name, s.key)
	return s.login(ctx) == nil
}

// repeat makes a request that may be made twice with the effect of one, and sits out short faults.
func (s *session) repeat(ctx context.Context, what string, do func(c *gh.Client) (*gh.Response, error)) error {
	for {
		err := s.once(ctx, do)
		if err == nil {
			return nil
		}
		if again, err := s.again(ctx, what, err); !again {
			return err
		}
	}
}

// once makes one request, unless GitHub has asked for a pause.
func (s *session) once(ctx context.Context, do func(c *gh.Client) (*gh.Response, error)) error {
	if err := s.paused(s.who); err != nil {
		return err
	}
	resp, err := do(s.client())
	now := s.now()
	if err == nil {
		s.limit.passed(s.who, now)
		return nil
	}
	err = understand(ctx, resp, err, now)
	var p *problem
	switch {
	case !errors.As(err, &p):
	case p.status == http.StatusUnauthorized && s.loginAgain(ctx):
		return s.once(ctx, do)
	case p.limited:
		p.wait = s.limit.pause(s.who, now, p.wait)
	}
	return err
}

// client makes a client of the library for one request. A longer-lived one would remember rate limits by the clock of this machine, and
// take the reset of the hourly limit for the end of a secondary one; limit remembers instead.
func (s *session) client() *gh.Client {
	h := s.http
	h.Transport = paced{s.connection, s.who, cmp.Or(h.Transport, http.DefaultTransport)}
	c := gh.NewClient(&h).WithAuthToken(s.key)
	c.UserAgent = "longshift"
	if s.base != nil {
		c.BaseURL = s.base
	}
	return c
}

// again decides after a failed request: it has waited and the request is to be made again, or err is what to return.
func (s *session) again(ctx context.Context, what string, err error) (bool, error) {
	var p *problem
	if !errors.As(err, &p) || !p.passing {
		return false, s.fault(what, err)
	}
	wait, ok := s.tries.Next(p.wait)
	if !ok {
		return false, s.fault(what, err)
	}
	s.log.Debug("GitHub: waiting before another try", "step", what, "wait", wait, "error", err)
	if err := s.sleep(ctx, wait); err != nil {
		return false, err
	}
	return true, nil
}

// fault turns a problem into a fault with its kind, repository and way out.
func (s *session) fault(what string, err error) error {
	var p *problem
	if !errors.As(err, &p) {
		return fmt.Errorf("GitHub: %s: %w", what, err)
	}
	where := s.owner + "/" + s.name
	if s.owner == "" { // the request is about the token alone
		where = s.host
	}
	switch {
	case p.gone != "":
		return fault.New(fault.Changed, "GitHub: %s: branch %q is not in %s: %w", what, p.gone, where, err).
			WithHint("somebody has deleted it, or the push went elsewhere")
	case p.passing:
		f := fault.New(fault.Infra, "GitHub: %s: %w", what, err)
		if p.wait > 0 {
			return &fault.Later{After: p.wait, Err: f}
		}
		return f
	case p.status == http.StatusUnauthorized:
		return fault.New(fault.Denied, "GitHub: %s: the token is refused: %w", what, err).
			WithHint("%s", s.refusedHint(where))
	case p.status == http.StatusForbidden:
		return fault.New(fault.Denied, "GitHub: %s: not allowed in %s: %w", what, where, err).
			WithHint("%s", s.permissionHint(what, p.needs, where))
	case p.status == http.StatusNotFound:
		return fault.New(fault.NotFound, "GitHub: %s: repository %s is not there, or the token can't see it: %w", what, where, err).
			WithHint("check the name; a fine-grained token must list the repository, and an app be installed there")
	case p.status == http.StatusGone || p.status == http.StatusUnavailableForLegalReasons:
		return fault.New(fault.NotFound, "GitHub: %s: it is gone from %s: %w", what, where, err).
			WithHint("somebody has deleted it, or GitHub has blocked the repository")
	case p.status == http.StatusUnprocessableEntity:
		return fault.New(fault.Input, "GitHub: %s: %w", what, err)
	case p.status == 0:
		return fault.New(fault.Denied, "GitHub: %s: %w", what, err).WithHint("check the base URL and the proxy in between")
	}
	return fault.New(fault.Internal, "GitHub: %s: %w", what, err)
}

func (s *session) refusedHint(where string) string {
	if s.app != nil {
		return "check LONGSHIFT_GITHUB_APP_ID, the app's private key and this machine's clock"
	}
	return "the token has run out or is wrong: make a new one that may write pull requests on " + where
}

// warn records a problem that does not make the call fail.
func (s *session) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	s.warnings = append(s.warnings, text)
	s.log.Warn("GitHub: " + text)
}

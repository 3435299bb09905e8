package slack

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/longshift/longshift/internal/channel/slack/slacktest"
)

const (
	botToken = slacktest.BotToken
	appToken = slacktest.AppToken
	signing  = slacktest.SigningSecret
	botUser  = slacktest.BotUser
	botID    = slacktest.BotID
	general  = slacktest.General
)

var (
	messageEvent = slacktest.MessageEvent
	eventCall    = slacktest.EventCall
	pressCall    = slacktest.PressCall
	formCall     = slacktest.FormCall
	commandCall  = slacktest.CommandCall
	flat         = slacktest.Flat
)

func fixed(s string) Secret { return func(context.Context) (string, error) { return s, nil } }

// fake simulates Slack.
type fake struct {
	*slacktest.Server
	t *testing.T
}

func newFake(t *testing.T) *fake { return &fake{slacktest.New(t), t} }

// open returns a channel connected to the fake.
func (f *fake) open(change func(c *Config)) *Slack {
	f.t.Helper()
	c := Config{BotToken: fixed(botToken), AppToken: fixed(appToken), SigningSecret: fixed(signing), APIURL: f.URL}
	if change != nil {
		change(&c)
	}
	s, err := New(c)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(s.http.CloseIdleConnections)
	return s
}

// answers are the ephemeral messages to ada.
func (f *fake) answers() []string { return f.Ephemeral(ada.ID) }

type appManifest struct {
	OAuth struct {
		Scopes struct{ Bot []string }
	} `yaml:"oauth_config"`
	Settings struct {
		Events struct {
			Bot []string `yaml:"bot_events"`
		} `yaml:"event_subscriptions"`
		Interactivity struct {
			On bool `yaml:"is_enabled"`
		}
		SocketMode bool `yaml:"socket_mode_enabled"`
	}
	Features struct {
		Commands []struct{ Command string } `yaml:"slash_commands"`
		Home     struct {
			On bool `yaml:"home_tab_enabled"`
		} `yaml:"app_home"`
	}
}

func manifest(t *testing.T) (m appManifest) {
	t.Helper()
	data, err := os.ReadFile("testdata/manifest.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// caller sends signed requests to a handler.
type caller struct {
	t       *testing.T
	server  *httptest.Server
	secret  string
	now     func() time.Time
	headers map[string]string // override the default ones; "" removes one
}

func newCaller(t *testing.T, h http.Handler) *caller {
	c := &caller{t: t, server: httptest.NewServer(h), secret: signing, now: time.Now, headers: map[string]string{}}
	t.Cleanup(c.server.Close)
	return c
}

func (c *caller) call(kind string, payload any) (status int, text string) {
	body := slacktest.Body(kind, payload)
	h := slacktest.SignWith(c.secret, body, c.now())
	for k, v := range c.headers {
		h.Set(k, v)
		if v == "" {
			h.Del(k)
		}
	}
	return c.send(body, h)
}

func (c *caller) send(body string, h http.Header) (int, string) {
	c.t.Helper()
	req, err := http.NewRequest(http.MethodPost, c.server.URL, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header = h
	r, err := c.server.Client().Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer r.Body.Close()
	got, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(got)
}

package telegram

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// lines keeps log output.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *lines) log() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// stop ends a listener after some pauses, without waiting.
func stop(cancel func(), waits int) func(context.Context, time.Duration) error {
	return func(ctx context.Context, _ time.Duration) error {
		if waits--; waits <= 0 {
			cancel()
		}
		return ctx.Err()
	}
}

// TestTokenNowhere makes calls fail in each way that puts the URL, and with it the token, into an error.
func TestTokenNowhere(t *testing.T) {
	echo := func(code int, form string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			fmt.Fprintf(w, form, r.URL.Path)
		}
	}
	handlers := map[string]http.HandlerFunc{
		"bad JSON":       echo(200, "<html>%s"),
		"bad result":     echo(200, `{"ok":true,"result":%q}`),
		"other shape":    echo(200, `[%q]`),
		"gateway's page": echo(502, "<html>no %s</html>"),
		"its own words":  echo(400, `{"ok":false,"error_code":400,"description":"Bad Request: %s"}`),
		"server's words": echo(500, `{"ok":false,"error_code":500,"description":"crashed in %s"}`),
		"moved for ever": echo(400, `{"ok":false,"error_code":400,"description":"%s","parameters":{"migrate_to_chat_id":-5}}`),
		"slow down":      echo(429, `{"ok":false,"error_code":429,"description":"%s","parameters":{"retry_after":1}}`),
		"hangs":          func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"drops":          func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"drops in between": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "99")
			fmt.Fprint(w, `{"ok"`)
		},
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere"+r.URL.Path, http.StatusFound)
		},
		"redirects a POST": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere"+r.URL.Path, http.StatusTemporaryRedirect)
		},
	}
	for name, h := range handlers {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasPrefix(r.URL.Path, "/elsewhere") {
					t.Error("followed a redirect with the token in the address")
				}
				_, _ = io.Copy(io.Discard, r.Body) // a server notices a disconnect only after reading the body
				h(w, r)
			}))
			defer s.Close()
			defer s.CloseClientConnections()
			nowhere(t, s.URL, s.Client())
		})
	}
	t.Run("refused", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		nowhere(t, "http://"+l.Addr().String(), &http.Client{})
	})
	t.Run("no TLS", func(t *testing.T) {
		s := httptest.NewTLSServer(http.NotFoundHandler())
		s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
		defer s.Close()
		nowhere(t, s.URL, &http.Client{})
	})
}

func nowhere(t *testing.T, base string, client *http.Client) {
	t.Helper()
	var logged lines
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := *client
	c.Timeout = 50 * time.Millisecond
	x, err := New(Config{Token: held, BaseURL: base, HTTP: &c, Log: logged.log(), Poll: time.Second, Backoff: quick, Sleep: stop(cancel, 3)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = x.Post(ctx, room(group), channel.Message{Key: "k", Text: "x"}, false)
	clean(t, "post", err)
	clean(t, "edit", x.Edit(ctx, task.MessageRef{Room: room(group), Message: "5"}, channel.Message{Text: "x"}))
	ended, end := context.WithCancel(ctx)
	end()
	_, r := x.updates(ended, testToken, 0, x.hold)
	clean(t, "ended poll", r)
	limited, end := context.WithTimeout(ctx, 50*time.Millisecond)
	defer end()
	_, r = x.updates(limited, testToken, 0, x.hold)
	clean(t, "poll", r)
	if err := x.Listen(ctx, func(context.Context, channel.Event) (channel.Answer, error) { return channel.Answer{}, nil }); err != nil {
		t.Errorf("Listen: %v", err)
	}
	if text := logged.String(); !strings.Contains(text, "can't be polled") || bearsToken(text) {
		t.Errorf("logged: %s", strings.ReplaceAll(text, testToken, "TOKEN"))
	}
}

func bearsToken(text string) bool {
	_, half, _ := strings.Cut(testToken, ":")
	return strings.Contains(text, half)
}

func clean(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s went well", what)
		return
	}
	if text := fmt.Sprintf("%v %+v %#v %s", err, err, err, fault.HintOf(err)); bearsToken(text) || len(err.Error()) > 500 {
		t.Errorf("%s: %s", what, strings.ReplaceAll(text, testToken, "TOKEN"))
	}
}

// TestStrangeToken checks that a token is not used if it would change the URL, or be escaped in an error.
func TestStrangeToken(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was called") }))
	defer s.Close()
	for _, token := range []string{"", "secret-secret-secret", "1:secret-secret\nsecret", "1:secret-secret/../x", "1:secret secret secret", "1:séécret-secret"} {
		x, err := New(Config{Token: func(context.Context) (string, error) { return token, nil }, BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Post(t.Context(), room(group), channel.Message{Text: "x"}, false)
		listen := x.Listen(t.Context(), nil)
		for _, err := range []error{err, listen} {
			if fault.KindOf(err) != fault.Denied || fault.HintOf(err) == "" || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %v", token, err)
			}
		}
	}
}

package slack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/longshift/longshift/internal/channel/channeltest"
)

const (
	botToken = "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"
	appToken = "xapp-1-A0LONGSHIFT-998877-0123456789abcdef"
	signing  = "8f742231b10e8888abcd99yyyzzz85a5"
	botUser  = "U0BOT"
	botID    = "B0BOT"
	general  = "C0GENERAL"
)

// fake plays Slack: the Web API as its reference pages describe it, with the app installed by our manifest.
type fake struct {
	t      *testing.T
	server *httptest.Server
	scopes []string

	mu       sync.Mutex
	clock    int
	messages []*stored
	answers  []string       // what only one person got to see
	calls    map[string]int // by method
	needed   map[string]bool
	views    []fakeView
	triggers map[string]bool
	failNext channeltest.Failure
	loseNext bool
	errNext  map[string]string // an error code for the next call of a method
	socket   fakeSocket
}

type stored struct {
	channel, ts, thread, user, bot, text string
	blocks                               []fakeBlock
	metadata                             json.RawMessage
}

type fakeView struct {
	ID, CallbackID, PrivateMetadata string
	input                           fakeBlock
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, clock: 1_760_000_000, calls: map[string]int{}, needed: map[string]bool{}, triggers: map[string]bool{},
		errNext: map[string]string{}, scopes: manifest(t).OAuth.Scopes.Bot}
	f.socket.init()
	f.server = httptest.NewServer(f)
	t.Cleanup(func() { f.socket.close(); f.server.Close() })
	return f
}

// open makes the leaf that talks to the fake.
func (f *fake) open(change func(c *Config)) *Slack {
	f.t.Helper()
	c := Config{BotToken: fixed(botToken), AppToken: fixed(appToken), SigningSecret: fixed(signing), APIURL: f.server.URL + "/api"}
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

// scopesOf are the bot scopes that Slack's reference names for a method, "" for none; for history it depends on the conversation.
var scopesOf = map[string]string{"auth.test": "", "chat.postMessage": "chat:write", "chat.postEphemeral": "chat:write",
	"chat.update": "chat:write", "views.open": "", "conversations.history": "history", "conversations.replies": "history"}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/api/apps.connections.open":
		f.openConnection(w, r)
	case r.URL.Path == "/socket":
		f.socket.serve(w, r)
	case strings.HasPrefix(r.URL.Path, "/commands/"):
		f.respond(w, r)
	default:
		f.method(w, r, strings.TrimPrefix(r.URL.Path, "/api/"))
	}
}

func (f *fake) method(w http.ResponseWriter, r *http.Request, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[name]++
	p := params{t: f.t, method: name, values: map[string]string{}}
	p.read(r)
	scope, known := scopesOf[name]
	if !known || r.Method != http.MethodPost {
		f.t.Errorf("call of %s %s", r.Method, r.URL.Path)
		deny(w, "unknown_method")
		return
	}
	if p.token != botToken {
		deny(w, "invalid_auth")
		return
	}
	if scope == "history" {
		scope = historyScope(p.values["channel"])
	}
	if scope != "" {
		f.needed[scope] = true
		if !slices.Contains(f.scopes, scope) {
			answer(w, map[string]any{"ok": false, "error": "missing_scope", "needed": scope, "provided": strings.Join(f.scopes, ",")})
			return
		}
	}
	if code := f.errNext[name]; code != "" {
		delete(f.errNext, name)
		deny(w, code)
		return
	}
	if strings.HasPrefix(name, "chat.") && f.fails(w) {
		return
	}
	result, code := f.carryOut(name, p)
	if code != "" {
		deny(w, code)
		return
	}
	if strings.HasPrefix(name, "chat.") && f.loseNext {
		f.loseNext = false
		panic(http.ErrAbortHandler)
	}
	result["ok"] = true
	answer(w, result)
}

func historyScope(channel string) string {
	switch channel[:1] {
	case "D":
		return "im:history"
	case "G":
		return "mpim:history"
	case "P":
		return "groups:history"
	}
	return "channels:history"
}

func (f *fake) carryOut(name string, p params) (map[string]any, string) {
	switch name {
	case "auth.test":
		return map[string]any{"url": "https://example.slack.com/", "team": "Example", "user": "longshift", "team_id": "T0", "user_id": botUser,
			"bot_id": botID}, ""
	case "chat.postMessage":
		return f.postMessage(p)
	case "chat.update":
		return f.update(p)
	case "chat.postEphemeral":
		return f.postEphemeral(p)
	case "views.open":
		return f.openView(p)
	case "conversations.history":
		return f.history(p, func(m *stored) bool { return m.thread == "" }, true)
	}
	root := p.need("ts")
	return f.history(p, func(m *stored) bool { return m.thread == root || m.ts == root }, false)
}

// fails answers in the way that a test asked for.
func (f *fake) fails(w http.ResponseWriter) bool {
	kind := f.failNext
	f.failNext = ""
	switch kind {
	case channeltest.ServerError:
		http.Error(w, "<html>unavailable</html>", http.StatusServiceUnavailable)
	case channeltest.RateLimit:
		w.Header().Set("Retry-After", fmt.Sprint(int(channeltest.Wait.Seconds())))
		w.WriteHeader(http.StatusTooManyRequests)
		answer(w, map[string]any{"ok": false, "error": "ratelimited"})
	case channeltest.BadToken:
		deny(w, "token_revoked")
	case channeltest.NoRoom:
		deny(w, "channel_not_found")
	}
	return kind != ""
}

// stamp gives a time of its own to each message.
func (f *fake) stamp() string {
	f.clock++
	return fmt.Sprintf("%d.%06d", f.clock, f.clock%1000)
}

func (f *fake) message(channel, ts string) *stored {
	for _, m := range f.messages {
		if m.channel == channel && m.ts == ts {
			return m
		}
	}
	return nil
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(v)
}

func deny(w http.ResponseWriter, code string) { answer(w, map[string]any{"ok": false, "error": code}) }

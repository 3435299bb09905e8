package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel/whatsapp/whatsapptest"
	"github.com/longshift/longshift/internal/fault"
)

// listening is a listener as a process runs it, with WhatsApp's webhook.
type listening struct {
	*listeners
	hooks, health string // addresses
}

func startListening(t *testing.T, set ...string) *listening {
	t.Helper()
	l := &listening{hooks: freeAddress(t), health: freeAddress(t)}
	log := slog.New(slog.DiscardHandler)
	cfg := load(t, append([]string{"LONGSHIFT_LISTEN=" + l.hooks, "LONGSHIFT_HEALTH=" + l.health, "LONGSHIFT_WHATSAPP_TOKEN=w", "LONGSHIFT_WHATSAPP_APP_SECRET=s",
		"LONGSHIFT_WHATSAPP_PHONE_ID=123", "LONGSHIFT_ROLE=listen", "LONGSHIFT_DATA=" + t.TempDir()}, set...)...)
	endHealth, err := serveHealth(t.Context(), cfg, log)
	must(t, err)
	var end func()
	l.listeners, end, err = newListeners(t.Context(), cfg, nothing{}, "default", &bytes.Buffer{}, nil, log)
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		end()
		endHealth()
	})
	return l
}

// freeAddress gives an address that nobody listens at, and each one once. Its port is below those that the system gives to connections: tests
// beside this one open hundreds, of which one could take it before it is listened at.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 20000+(os.Getpid()*100+int(addresses.Add(1)))%10000)
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	t.Fatal("no free port")
	return ""
}

var addresses atomic.Int64 // that were given or tried

// status makes a call, as soon as somebody listens.
func status(t *testing.T, method, url, body string, header ...string) int {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		req, err := http.NewRequest(method, url, strings.NewReader(body))
		must(t, err)
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err == nil {
			resp.Body.Close()
			return resp.StatusCode
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// A listener serves webhooks only where their secret is known, tells of its health elsewhere, and ends with its context.
func TestListenerServes(t *testing.T) {
	t.Parallel()
	l := startListening(t)
	for url, want := range map[string]int{l.health + "/healthz": 204, l.health + "/": 404, l.hooks + "/healthz": 404, l.hooks + "/webhooks/slack": 404,
		l.hooks + "/webhooks/github": 404, l.hooks + "/": 404} {
		if got := status(t, "GET", "http://"+url, ""); got != want {
			t.Errorf("GET %s: %d, want %d", url, got, want)
		}
	}
	if got := status(t, "POST", "http://"+l.hooks+"/webhooks/whatsapp", "{}"); got != 401 {
		t.Errorf("an unsigned call: %d", got)
	}
	if _, err := l.serve(t.Context()); fault.KindOf(err) != fault.Input || !strings.Contains(err.Error(), l.hooks) {
		t.Errorf("an address that is taken: %v", err)
	}
	if _, err := serveHealth(t.Context(), l.cfg, l.log); fault.KindOf(err) != fault.Input || !strings.Contains(err.Error(), "LONGSHIFT_HEALTH") {
		t.Errorf("an address for health that is taken: %v", err)
	}
}

// Two hundred strangers who begin calls and do not go on silence neither webhooks nor health. They are connected all the while.
func TestSlowStrangersSilenceNobody(t *testing.T) {
	t.Parallel()
	for name, say := range map[string]string{
		"half headers":      "POST /webhooks/whatsapp HTTP/1.1\r\nX-Slow: ",
		"unfinished bodies": "POST /webhooks/whatsapp HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := startListening(t)
			for _, address := range []string{l.health, l.hooks} {
				status(t, "GET", "http://"+address+"/healthz", "") // it listens
			}
			var strangers []net.Conn
			for range 200 {
				c, err := net.Dial("tcp", l.hooks)
				must(t, err)
				defer c.Close()
				_, err = io.WriteString(c, strings.ReplaceAll(say, "%s", l.hooks))
				must(t, err)
				strangers = append(strangers, c)
			}
			body := whatsapptest.Batch("491701234567", "Ada")
			if got := status(t, "POST", "http://"+l.hooks+"/webhooks/whatsapp", body, "X-Hub-Signature-256", whatsapptest.Sign(body, "s")); got != 200 {
				t.Errorf("a signed call: %d", got)
			}
			if got := status(t, "GET", "http://"+l.health+"/healthz", ""); got != 204 {
				t.Errorf("health: %d", got)
			}
			connected := 0
			for _, c := range strangers {
				_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
				if _, err := c.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
					connected++
				}
			}
			if connected == 0 {
				t.Error("the strangers had gone when the call was answered")
			}
		})
	}
}

// A page in the operator's browser reaches none of the listeners: neither by a name that it has turned to this machine, nor from its
// own site. Public names are what the operator says.
func TestListenersKnowTheirNames(t *testing.T) {
	t.Parallel()
	l := startListening(t, "LONGSHIFT_LISTEN_HOSTS=hooks.example.com")
	for _, address := range []string{l.health, l.hooks} { // until both are listened at
		status(t, "GET", "http://"+address+"/healthz", "")
	}
	for _, at := range []struct{ address, method, path string }{{l.hooks, "POST", "/webhooks/whatsapp"}, {l.health, "GET", "/healthz"}} {
		for host, refused := range map[string]bool{"attacker.example": true, "hooks.example.com": false, at.address: false} {
			req, err := http.NewRequest(at.method, "http://"+at.address+at.path, nil)
			must(t, err)
			req.Host = host
			resp, err := http.DefaultClient.Do(req)
			must(t, err)
			resp.Body.Close()
			if (resp.StatusCode == http.StatusMisdirectedRequest) != refused {
				t.Errorf("%s as %s: %d", at.path, host, resp.StatusCode)
			}
		}
	}
	if got := status(t, "POST", "http://"+l.hooks+"/webhooks/whatsapp", "{}", "Origin", "https://attacker.example"); got != http.StatusForbidden {
		t.Errorf("from another site: %d", got)
	}
	if got := status(t, "POST", "http://"+l.hooks+"/webhooks/whatsapp", "{}"); got != http.StatusUnauthorized {
		t.Errorf("by a program without a signature: %d", got)
	}
}

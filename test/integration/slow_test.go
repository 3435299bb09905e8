package integration

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// strangers are callers who begin calls and do not go on. One that is cut off comes again at once.
type strangers struct{ connected atomic.Int64 }

func crowd(t *testing.T, n int, address string, begins ...string) *strangers {
	t.Helper()
	s := &strangers{}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(func() { stop(); all.Wait() })
	for i := range n {
		all.Go(func() {
			for ctx.Err() == nil {
				s.call(ctx, address, begins[i%len(begins)])
			}
		})
	}
	lab.Eventually(t, 30*time.Second, "the strangers are there", func() bool { return s.connected.Load() >= int64(n)*3/4 })
	return s
}

func (s *strangers) call(ctx context.Context, address, begin string) {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	if _, err := io.WriteString(c, begin); err != nil {
		return
	}
	s.connected.Add(1)
	defer s.connected.Add(-1)
	_, _ = io.Copy(io.Discard, c)
}

// Somebody presses a button while two hundred strangers hold the listener, half of them with headers and half with bodies that do not
// end. The press is answered and has its effect, and health is told, with all of the strangers there.
func TestPressAmongSlowStrangers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"slack-http", "whatsapp"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChat(t, name, lab.Brief(), onceAsked)
			c.Play()
			p := c.plan(1)
			c.heard()
			hook := c.hook()
			address, path, _ := strings.Cut(strings.TrimPrefix(hook, "http://"), "/")
			there := crowd(t, 200, address, "POST /"+path+" HTTP/1.1\r\nX-Slow: ",
				"POST /"+path+" HTTP/1.1\r\nHost: "+address+"\r\nContent-Length: 1000\r\n\r\n{")
			c.press(t, p.id, p.buttons["Approve"])
			if n := there.connected.Load(); n < 100 {
				t.Errorf("%d strangers were there when the press was answered", n)
			}
			r, err := http.Get("http://" + c.health + "/healthz")
			if err != nil || r.StatusCode != http.StatusNoContent {
				t.Errorf("health: %v %v", r, err)
			}
			if r != nil {
				r.Body.Close()
			}
			lab.Eventually(t, 60*time.Second, "the plan is approved", func() bool {
				s, ok := c.Status(c.Begun.GetID())
				return ok && s.Phase != task.Approving
			})
			if n := there.connected.Load(); n < 100 {
				t.Errorf("%d strangers were there when it had its effect", n)
			}
		})
	}
}

// hook is where the platform calls.
func (c *chat) hook() string {
	switch on := c.platform.(type) {
	case *onSlack:
		return on.hook
	case *onWhatsApp:
		return on.hook
	}
	c.T.Fatalf("%s does not call us", c.kind())
	return ""
}

package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	slackgo "github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

const (
	firstPause = 250 * time.Millisecond // after a failed connection; doubled each time
	longPause  = time.Minute
	goodPeriod = 30 * time.Second // a connection that lasted this long resets the pause
	maxMessage = 1 << 20          // bytes of a delivery
	atOnce     = 16               // concurrent deliveries
)

// Listen receives deliveries over Socket Mode until ctx ends. Slack spreads them over all connections of an app, at most
// ten. Events are acknowledged after the handler has succeeded; otherwise Slack delivers them again. Presses, forms and
// commands are acknowledged in time, and retried here for half a minute. If Slack refuses the token before the first
// connection, Listen returns a fault; later it keeps trying, since the token may be about to be rotated.
func (s *Slack) Listen(ctx context.Context, handle channel.Handle) error {
	l := &listening{slack: s, handle: handle, room: make(chan struct{}, atOnce)}
	defer l.work.Wait()
	pause := firstPause
	for {
		began := s.now()
		err := l.connection(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if kind := fault.KindOf(err); !l.connected && (kind == fault.Denied || kind == fault.Input) {
			return err
		}
		if s.now().Sub(began) >= goodPeriod {
			pause = firstPause
		}
		wait := pause
		var later *fault.Later
		if errors.As(err, &later) {
			wait = max(wait, later.After)
		}
		s.log.InfoContext(ctx, "Slack connection ended", "again_in", wait, "error", err)
		if s.sleep(ctx, wait) != nil {
			return nil
		}
		pause = min(2*pause, longPause)
	}
}

// listening is one call of Listen.
type listening struct {
	slack     *Slack
	handle    channel.Handle
	room      chan struct{} // limits concurrent deliveries
	work      sync.WaitGroup
	connected bool // at least once
}

// connection runs one connection and returns why it ended. The library would reconnect by itself, but without a pause
// and with the old token, so it is stopped.
func (l *listening) connection(ctx context.Context) error {
	token, err := secret(ctx, l.slack.appToken, "app token")
	if err != nil {
		return err
	}
	api := slackgo.New("", append(l.slack.options(), slackgo.OptionHTTPClient(&onlyOne{Client: &l.slack.http}),
		slackgo.OptionAppLevelToken(token))...)
	client := socketmode.New(api, socketmode.OptionLog(silent{}), socketmode.OptionReadLimit(maxMessage),
		socketmode.OptionDialer(l.slack.dialer()))
	own, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- client.RunContext(own) }()
	defer func() { stop(); <-ended }()
	for {
		select {
		case e := <-client.Events:
			if over, err := l.event(ctx, own, client, e); over {
				return err
			}
		case err := <-ended:
			ended <- err
			return problem(ctx, "connect to Slack", err)
		}
	}
}

// dialer uses the proxy and the certificates of the HTTP client.
func (s *Slack) dialer() *websocket.Dialer {
	d := &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: 15 * time.Second, WriteBufferSize: 32 << 10}
	t, ok := s.http.Transport.(*http.Transport)
	if !ok {
		return d
	}
	d.Proxy, d.NetDialContext = t.Proxy, t.DialContext
	if t.TLSClientConfig != nil {
		d.TLSClientConfig = t.TLSClientConfig.Clone()
		d.TLSClientConfig.NextProtos = nil // HTTP/2 can't upgrade to a WebSocket
	}
	return d
}

// event handles an event of the library, and reports whether the connection is over.
func (l *listening) event(ctx, own context.Context, client *socketmode.Client, e socketmode.Event) (over bool, err error) {
	switch e.Type {
	case socketmode.EventTypeConnecting:
		c, ok := e.Data.(*slackgo.ConnectingEvent)
		return ok && c.ConnectionCount > 0, nil
	case socketmode.EventTypeConnectionError:
		if c, ok := e.Data.(*slackgo.ConnectionErrorEvent); ok {
			return true, problem(ctx, "connect to Slack", c.ErrorObj)
		}
		return true, nil
	case socketmode.EventTypeHello:
		l.connected = true
		l.slack.log.InfoContext(ctx, "Slack connected")
	case socketmode.EventTypeErrorBadMessage: // an event type that the library does not know
		if bad, ok := e.Data.(*socketmode.ErrorBadMessage); ok {
			var r socketmode.Request
			if json.Unmarshal(bad.Message, &r) == nil {
				l.deliver(ctx, own, client, r)
			}
		}
	case socketmode.EventTypeEventsAPI, socketmode.EventTypeInteractive, socketmode.EventTypeSlashCommand:
		if e.Request != nil {
			l.deliver(ctx, own, client, *e.Request)
		}
	}
	return false, nil
}

// deliver handles a delivery in the background. The acknowledgement uses the connection that delivered it, as long as
// that exists.
func (l *listening) deliver(ctx, own context.Context, client *socketmode.Client, r socketmode.Request) {
	if r.EnvelopeID == "" {
		return
	}
	select {
	case l.room <- struct{}{}:
	case <-ctx.Done():
		return
	}
	l.work.Go(func() {
		after, err := l.slack.receive(ctx, l.handle, r.Type, r.Payload)
		<-l.room // what follows does not block further deliveries
		if err != nil {
			l.slack.log.WarnContext(ctx, "Slack delivery not taken in", "kind", r.Type, "attempt", r.RetryAttempt, "error", err)
			return
		}
		if err := client.AckCtx(own, r.EnvelopeID, nil); err != nil {
			l.slack.log.InfoContext(ctx, "Slack delivery not acknowledged", "kind", r.Type, "error", err)
		}
		after()
	})
}

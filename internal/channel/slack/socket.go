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
	firstPause = 250 * time.Millisecond // after a connection that failed; doubled each time
	longPause  = time.Minute
	goodPeriod = 30 * time.Second // a connection that held as long was a good one
	maxMessage = 1 << 20          // bytes of a delivery
	atOnce     = 16               // deliveries that are heard at the same time
)

// Listen hears over Socket Mode until ctx ends. Slack spreads deliveries over all connections of an app, at most ten. An
// event is acknowledged only after the handler took it; otherwise Slack delivers it again. Presses, forms and commands are acknowledged in
// time, and tried again here for half a minute. A token that Slack refuses before the first connection
// ends Listen with a fault; later it is asked for again, for it may be about to be changed.
func (s *Slack) Listen(ctx context.Context, hear channel.Handle) error {
	l := &listening{slack: s, hear: hear, room: make(chan struct{}, atOnce)}
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
	hear      channel.Handle
	room      chan struct{} // a place for each delivery at work
	work      sync.WaitGroup
	connected bool // once at least
}

// connection keeps one connection, and gives why it ended. The library would make the next one by itself, but without a pause and
// with the token that it began with; so it is stopped there.
func (l *listening) connection(ctx context.Context) error {
	token, err := secret(ctx, l.slack.appToken, "app token")
	if err != nil {
		return err
	}
	api := slackgo.New("", append(l.slack.options(), slackgo.OptionHTTPClient(&onlyOne{Client: &l.slack.http}), slackgo.OptionAppLevelToken(token))...)
	client := socketmode.New(api, socketmode.OptionLog(silent{}), socketmode.OptionReadLimit(maxMessage), socketmode.OptionDialer(l.slack.dialer()))
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

// dialer goes the way of our other calls: their proxy and their certificates.
func (s *Slack) dialer() *websocket.Dialer {
	d := &websocket.Dialer{Proxy: http.ProxyFromEnvironment, HandshakeTimeout: 15 * time.Second, WriteBufferSize: 32 << 10}
	t, ok := s.http.Transport.(*http.Transport)
	if !ok {
		return d
	}
	d.Proxy, d.NetDialContext = t.Proxy, t.DialContext
	if t.TLSClientConfig != nil {
		d.TLSClientConfig = t.TLSClientConfig.Clone()
		d.TLSClientConfig.NextProtos = nil // HTTP/2 has no upgrade to a socket
	}
	return d
}

// event takes what the library tells, and says whether the connection is over.
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
	case socketmode.EventTypeErrorBadMessage: // a kind of event that the library does not know
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

// deliver hears one delivery beside the others. The acknowledgement goes over the connection that it came by, while that lasts.
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
		after, err := l.slack.take(ctx, l.hear, r.Type, r.Payload)
		<-l.room // what comes after holds nobody up
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

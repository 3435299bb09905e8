package whatsapp

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/channeltest"
	"github.com/longshift/longshift/internal/channel/whatsapp/whatsapptest"
	"github.com/longshift/longshift/task"
)

func give(s string) Secret { return func(context.Context) (string, error) { return s, nil } }

// aloud makes every edit loud: others send nothing, as TestQuietEdits checks.
type aloud struct{ *WhatsApp }

func (a aloud) Edit(ctx context.Context, at task.MessageRef, m channel.Message) error {
	m.Loud = true
	return a.WhatsApp.Edit(ctx, at, m)
}

func TestConformance(t *testing.T) {
	channeltest.Conform(t, fixture)
}

func fixture(t *testing.T) channeltest.Fixture {
	p := whatsapptest.New(t)
	w := open(t, p, func(c *Config) { c.Now = nil })
	f := channeltest.Fixture{Channel: aloud{w}, Webhook: w, Room: task.Room{Channel: channel.WhatsApp, ID: ada}, Token: accessed,
		User: channel.User{ID: ada, Name: "Ada"}, Limit: 4096, Private: true, NoEdit: true, Redelivers: true}
	f.Shown = func(*testing.T, task.Room) []channeltest.Shown { return shown(p) }
	f.Answers = func(*testing.T) (texts []string) {
		for _, m := range p.Messages("") {
			if isAnswer(m) {
				texts = append(texts, m.Text)
			}
		}
		return texts
	}
	f.Fail = func(_ *testing.T, kind channeltest.Failure) { p.Fail(failure(kind)) }
	f.Lose = func(*testing.T) { p.Lose() }
	hearing(&f, p)
	return f
}

// hearing connects the fixture's events. The platform redelivers until it gets status 200.
func hearing(f *channeltest.Fixture, p *whatsapptest.Server) {
	var h *hook
	n, last := 0, ""
	until := func(t *testing.T, body string) {
		last = body
		for range 10 {
			if h.send(body, sign(body, secret)) == http.StatusOK {
				return
			}
		}
		t.Error("the webhook never took a delivery")
	}
	id := func() string { n++; return fmt.Sprintf("wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQz%d", n) }
	f.Serve = func(t *testing.T, handler http.Handler) { h = serve(t, p, handler) }
	f.Press = func(t *testing.T, at task.MessageRef, token string, _ channel.User) {
		until(t, batch(pressed(id(), token, at.Message, time.Now())))
	}
	f.Say = func(t *testing.T, s channeltest.Say) string {
		m := id()
		switch body := batch(said(m, s.Text, s.ReplyTo, time.Now())); s.By {
		case channeltest.Person:
			until(t, body)
		case channeltest.Robot: // another business number can't write to this one
			until(t, batch(fmt.Sprintf(`{"from":%q,"id":%q,"timestamp":"%d","type":"unsupported","errors":[{"code":131051}]}`, ada, m, time.Now().Unix())))
		case channeltest.Ourselves:
			body = strings.Replace(body, `"messages":[`, `"message_echoes":[`, 1)
			until(t, strings.Replace(body, `"field":"messages"`, `"field":"smb_message_echoes"`, 1))
		}
		return m
	}
	f.Redeliver = func(t *testing.T) { until(t, last) }
}

func isAnswer(m whatsapptest.Message) bool { return strings.HasPrefix(m.Key, "whatsapp-") }

func shown(p *whatsapptest.Server) (list []channeltest.Shown) {
	for _, m := range p.Messages("") {
		if !isAnswer(m) {
			_, code, _ := whatsapptest.Look(m.Sent)
			s := channeltest.Shown{ID: m.ID, Text: m.Text, Code: code}
			for _, b := range m.Buttons {
				s.Buttons = append(s.Buttons, channeltest.Button{Label: b.Text, Token: b.Data})
			}
			list = append(list, s)
		}
	}
	return list
}

func failure(kind channeltest.Failure) http.HandlerFunc {
	switch kind {
	case channeltest.ServerError:
		return func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "<html>Sorry</html>", http.StatusServiceUnavailable)
		}
	case channeltest.RateLimit:
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", fmt.Sprint(int(channeltest.Wait.Seconds())))
			whatsapptest.Problem(http.StatusTooManyRequests, 130429, "Rate limit hit")(w, r)
		}
	case channeltest.BadToken:
		return whatsapptest.Problem(http.StatusUnauthorized, 190, "Malformed access token "+accessed)
	}
	return whatsapptest.Problem(http.StatusBadRequest, 131026, "Message undeliverable")
}

package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/whatsapp/whatsapptest"
	"github.com/longshift/longshift/internal/fault"
)

func TestRefusals(t *testing.T) {
	p := whatsapptest.New(t)
	w := open(t, p, nil)
	for name, c := range map[string]struct {
		status, code int
		kind         fault.Kind
		hint         string
		wait         time.Duration
	}{
		"expired token":     {401, 190, fault.Denied, "access token", 0},
		"no login":          {401, 0, fault.Denied, "access token", 0},
		"a right as 500":    {500, 3, fault.Denied, "access token", 0},
		"no right":          {403, 10, fault.Denied, "access token", 0},
		"another right":     {403, 230, fault.Denied, "access token", 0},
		"app limit":         {400, 4, fault.Infra, "", 5 * time.Minute},
		"account limit":     {400, 80007, fault.Infra, "", 5 * time.Minute},
		"number limit":      {429, 130429, fault.Infra, "", time.Minute},
		"pair limit":        {400, 131056, fault.Infra, "", 6 * time.Second},
		"reported":          {400, 131048, fault.Infra, "", time.Hour},
		"24 hours":          {400, 131047, fault.Denied, "24 hours", 0},
		"not in the list":   {400, 131030, fault.Denied, "list", 0},
		"undeliverable":     {400, 131026, fault.NotFound, "number", 0},
		"no such number id": {400, 33, fault.NotFound, "phone number id", 0},
		"locked":            {403, 131031, fault.Denied, "WhatsApp Manager", 0},
		"unpaid":            {400, 131042, fault.Denied, "WhatsApp Manager", 0},
		"something":         {500, 131000, fault.Infra, "", 0},
		"down":              {400, 131016, fault.Infra, "", 0},
		"service":           {503, 2, fault.Infra, "", 0},
		"parameter":         {400, 100, fault.Input, "", 0},
		"value":             {400, 131009, fault.Input, "", 0},
		"unknown 4xx":       {418, 999999, fault.Input, "", 0},
		"unknown 5xx":       {502, 999999, fault.Infra, "", 0},
		"unknown 429":       {429, 999999, fault.Infra, "", time.Minute},
		"unknown 404":       {404, 999999, fault.NotFound, "phone number id", 0},
	} {
		p.Fail(whatsapptest.Problem(c.status, c.code, "Words with "+accessed+" in\nthem"))
		_, err := w.Post(t.Context(), room, channel.Message{Text: "x"}, false)
		if fault.KindOf(err) != c.kind || !strings.Contains(fault.HintOf(err), c.hint) || (fault.HintOf(err) == "") != (c.hint == "") {
			t.Errorf("%s: %v (%s, %q)", name, err, fault.KindOf(err), fault.HintOf(err))
			continue
		}
		var later *fault.Later
		if waits := errors.As(err, &later); waits != (c.wait > 0) || waits && later.After != c.wait {
			t.Errorf("%s: %v", name, err)
		}
		text := fmt.Sprintf("%v %+v %#v", err, err, err)
		if strings.Contains(text, accessed) || strings.Contains(err.Error(), "\n") || strings.Contains(text, ada) ||
			!strings.Contains(err.Error(), fmt.Sprint(c.code)) {
			t.Errorf("%s: %q", name, text)
		}
	}
	p.Fail(whatsapptest.Problem(401, 190, "Malformed access token "+accessed[:12]+"..."))
	if _, err := w.Post(t.Context(), room, channel.Message{Text: "x"}, false); err == nil || strings.Contains(err.Error(), accessed[:8]) {
		t.Errorf("a part of the token: %v", err)
	}
	if got := p.Messages(""); len(got) != 0 {
		t.Errorf("sent %+v", got)
	}
}

func TestWaits(t *testing.T) {
	p := whatsapptest.New(t)
	w := open(t, p, nil)
	usage := `{"102290129340398":[{"type":"whatsapp","call_count":100,"estimated_time_to_regain_access":%d}]}`
	for name, c := range map[string]struct {
		header, value string
		want          time.Duration
	}{
		"seconds":   {"Retry-After", "17", 17 * time.Second},
		"minutes":   {"X-Business-Use-Case-Usage", fmt.Sprintf(usage, 19), 19 * time.Minute},
		"none left": {"X-Business-Use-Case-Usage", fmt.Sprintf(usage, 0), 5 * time.Minute},
		"nonsense":  {"X-Business-Use-Case-Usage", "soon", 5 * time.Minute},
		"negative":  {"Retry-After", "-4", 5 * time.Minute},
		"forever":   {"Retry-After", "99999999", 24 * time.Hour},
		"overflow":  {"X-Business-Use-Case-Usage", fmt.Sprintf(usage, 1<<62), 24 * time.Hour},
	} {
		p.Fail(func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set(c.header, c.value)
			whatsapptest.Problem(400, 80007, "Limit")(rw, r)
		})
		_, err := w.Post(t.Context(), room, channel.Message{Text: "x"}, false)
		var later *fault.Later
		if !errors.As(err, &later) || later.After != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNoProperAnswer(t *testing.T) {
	p := whatsapptest.New(t)
	w := open(t, p, nil)
	for name, answer := range map[string]string{"nothing": "", "html": "<html>", "no id": `{"messages":[]}`, "empty id": `{"messages":[{"id":""}]}`} {
		p.Fail(func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprint(rw, answer) })
		if _, err := w.Post(t.Context(), room, channel.Message{Text: "x"}, false); fault.KindOf(err) != fault.Infra {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	w = open(t, p, func(c *Config) { c.BaseURL = gone.URL })
	_, err := w.Post(t.Context(), room, channel.Message{Text: "x"}, false)
	if fault.KindOf(err) != fault.Infra || strings.Contains(err.Error(), numberID) {
		t.Errorf("no server: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Post(ctx, room, channel.Message{Text: "x"}, false); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}

func TestNoToken(t *testing.T) {
	p := whatsapptest.New(t)
	for _, token := range []Secret{give(" \n"), func(context.Context) (string, error) { return "", errors.New("the vault is closed") }} {
		w := open(t, p, func(c *Config) { c.Token = token })
		if _, err := w.Post(t.Context(), room, channel.Message{Text: "x"}, false); fault.KindOf(err) != fault.Denied {
			t.Error(err)
		}
	}
	if got := p.Messages(""); len(got) != 0 {
		t.Errorf("sent %+v", got)
	}
}

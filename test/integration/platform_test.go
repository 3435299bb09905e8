package integration

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/internal/channel/telegram/telegramtest"
	"github.com/longshift/longshift/internal/channel/whatsapp/whatsapptest"
	"github.com/longshift/longshift/test/lab"
)

// People of the tests, on each platform: one who may do everything, and one who is on no list.
const (
	adaSlack, eveSlack       = "U0ADA", "U0EVE"
	adaTelegram, eveTelegram = 7001, 7002
	adaWhatsApp, eveWhatsApp = "491701234567", "491709999999"
)

// post is a message of ours as it stands.
type post struct {
	id, text string
	buttons  map[string]string // token by label
	edited   bool
}

// platform is where people are, as a story about them needs it.
type platform interface {
	env() []string                          // of the worker and the listener
	posts() []post                          // oldest first
	press(t *testing.T, id, token string)   // by ada
	pressBy(t *testing.T, id, token string) // by somebody who is on no list
	reply(t *testing.T, id, text string)    // by ada, to a message of ours
	told() string                           // what only the one who did something got to see
	listening() bool                        // somebody hears what is done
	down(bool)
}

// onSlack is Slack, by Socket Mode or by webhooks to a listener.
type onSlack struct {
	*slacktest.Server
	hook string // "" is Socket Mode
}

func (s *onSlack) env() []string {
	e := []string{"LONGSHIFT_SLACK_BOT_TOKEN=" + s.BotToken, "LONGSHIFT_SLACK_URL=" + s.URL, "LONGSHIFT_SLACK_CHANNELS=" + s.General,
		"LONGSHIFT_SLACK_APPROVE=" + adaSlack, "LONGSHIFT_SLACK_START=" + adaSlack}
	if s.hook == "" {
		return append(e, "LONGSHIFT_SLACK_APP_TOKEN="+s.AppToken)
	}
	return append(e, "LONGSHIFT_SLACK_SIGNING_SECRET="+s.SigningSecret)
}

func (s *onSlack) posts() (all []post) {
	for _, m := range s.Messages(s.General) {
		if m.User != slacktest.BotUser {
			continue
		}
		p := post{id: m.TS, text: m.Text + strings.Join(m.Code, "\n"), buttons: map[string]string{}, edited: m.Edited > 0}
		for _, b := range m.Buttons {
			p.buttons[b.Label] = b.Token
		}
		all = append(all, p)
	}
	return all
}

func (s *onSlack) act(t *testing.T, id, token, user string) {
	t.Helper()
	if s.hook == "" {
		s.Press(t, s.General, id, token, user)
		return
	}
	if status, body := s.PressHTTP(s.hook, s.General, id, token, user); status != http.StatusOK {
		t.Errorf("a click is answered with %d: %s", status, body)
	}
}
func (s *onSlack) press(t *testing.T, id, token string)   { s.act(t, id, token, adaSlack) }
func (s *onSlack) pressBy(t *testing.T, id, token string) { s.act(t, id, token, eveSlack) }

func (s *onSlack) reply(t *testing.T, _, text string) {
	t.Helper()
	card := s.posts()[0].id // everything about a task hangs on its one message
	if s.hook == "" {
		s.Say(t, s.General, adaSlack, text, card, false)
		return
	}
	if status, body := s.SayHTTP(s.hook, s.General, adaSlack, text, card, false); status != http.StatusOK {
		t.Errorf("a message is answered with %d: %s", status, body)
	}
}

// home opens the app's home by ada, and returns it as it is published, which need not be because of this.
func (s *onSlack) home() slacktest.Home {
	if s.hook == "" {
		s.OpenHome(adaSlack)
	} else {
		s.OpenHomeHTTP(s.hook, adaSlack)
	}
	h, _ := s.HomeOf(adaSlack, 0)
	return h
}

// file checks that the diff of the pull request stands in the thread, once.
func (s *onSlack) file(t *testing.T) {
	t.Helper()
	lab.Eventually(t, 60*time.Second, "the diff is a file", func() bool { return len(s.Files(s.General)) > 0 })
	all := s.Files(s.General)
	if f := all[0]; len(all) != 1 || f.Thread == "" || !strings.Contains(f.Text, "diff --git ") {
		t.Errorf("%d files, the first: %+v", len(all), f)
	}
}

func (s *onSlack) told() string {
	return strings.Join(append(s.Ephemeral(adaSlack), s.Ephemeral(eveSlack)...), "\n")
}
func (s *onSlack) listening() bool {
	if s.hook == "" {
		return s.Connected() > 0
	}
	return answered(s.hook)
}
func (s *onSlack) down(d bool) { s.Down(d) }

type onTelegram struct{ *telegramtest.Server }

func (s *onTelegram) env() []string {
	ada := strconv.Itoa(adaTelegram)
	s.Open(adaTelegram)
	return []string{"LONGSHIFT_TELEGRAM_TOKEN=" + s.Token, "LONGSHIFT_TELEGRAM_URL=" + s.URL, "LONGSHIFT_TELEGRAM_CHATS=" + ada,
		"LONGSHIFT_TELEGRAM_APPROVE=" + ada, "LONGSHIFT_TELEGRAM_START=" + ada}
}

func (s *onTelegram) posts() (all []post) {
	for _, m := range s.Messages(adaTelegram) {
		p := post{id: strconv.Itoa(m.ID), text: m.Text, buttons: map[string]string{}, edited: m.Edited > 0}
		for _, b := range m.Buttons {
			p.buttons[b.Text] = b.Data
		}
		all = append(all, p)
	}
	return all
}
func (s *onTelegram) act(user int64, id, token string) {
	n, _ := strconv.Atoi(id)
	s.Server.Press(adaTelegram, user, "name", n, token)
}
func (s *onTelegram) press(_ *testing.T, id, token string)   { s.act(adaTelegram, id, token) }
func (s *onTelegram) pressBy(_ *testing.T, id, token string) { s.act(eveTelegram, id, token) }
func (s *onTelegram) reply(_ *testing.T, id, text string) {
	n, _ := strconv.Atoi(id)
	s.Say(adaTelegram, adaTelegram, "ada", text, n)
}
func (s *onTelegram) told() string    { return strings.Join(s.Alerts(0), "\n") }
func (s *onTelegram) listening() bool { return s.Listening() } // what is pressed before counts as late
func (s *onTelegram) down(d bool)     { s.Down(d) }

type onWhatsApp struct {
	*whatsapptest.Server
	hook string
}

func (s *onWhatsApp) env() []string {
	return []string{"LONGSHIFT_WHATSAPP_TOKEN=" + s.Token, "LONGSHIFT_WHATSAPP_APP_SECRET=" + s.AppSecret, "LONGSHIFT_WHATSAPP_VERIFY_TOKEN=" + s.VerifyToken,
		"LONGSHIFT_WHATSAPP_PHONE_ID=" + s.PhoneID, "LONGSHIFT_WHATSAPP_URL=" + s.URL, "LONGSHIFT_WHATSAPP_NUMBERS=" + adaWhatsApp,
		"LONGSHIFT_WHATSAPP_APPROVE=" + adaWhatsApp, "LONGSHIFT_WHATSAPP_START=" + adaWhatsApp}
}
func (s *onWhatsApp) posts() (all []post) {
	for _, m := range s.Messages(adaWhatsApp) {
		p := post{id: m.ID, text: m.Text, buttons: map[string]string{}}
		for _, b := range m.Buttons {
			p.buttons[b.Text] = b.Data
		}
		all = append(all, p)
	}
	return all
}
func (s *onWhatsApp) act(t *testing.T, from, id, token string) {
	t.Helper()
	s.taken(t, s.Server.Press(s.hook, from, "name", id, token, "button"))
}

// taken holds an answer of the webhook, and delivers again what it could not take in yet, as the platform does.
func (s *onWhatsApp) taken(t *testing.T, status int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); status == http.StatusInternalServerError && time.Now().Before(end); {
		<-time.After(500 * time.Millisecond)
		d := s.Last()
		status = s.Post(s.hook, d.Body, d.Signature)
	}
	if status != http.StatusOK {
		t.Errorf("a delivery is answered with %d", status)
	}
}
func (s *onWhatsApp) press(t *testing.T, id, token string)   { s.act(t, adaWhatsApp, id, token) }
func (s *onWhatsApp) pressBy(t *testing.T, id, token string) { s.act(t, eveWhatsApp, id, token) }
func (s *onWhatsApp) reply(t *testing.T, id, text string) {
	t.Helper()
	s.taken(t, s.Say(s.hook, adaWhatsApp, "ada", text, id))
}
func (s *onWhatsApp) told() string {
	var all []string
	for _, m := range s.Messages("") {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n")
}
func (s *onWhatsApp) listening() bool { return answered(s.hook) }
func (s *onWhatsApp) down(d bool)     { s.Down(d) }

// answered tells whether somebody listens for a platform's calls: one without a signature gets an answer too.
func answered(hook string) bool {
	c := http.Client{Timeout: 2 * time.Second}
	r, err := c.Get(hook)
	if err != nil {
		return false
	}
	r.Body.Close()
	return true
}

// chat is a story that people follow on a platform: one worker, and a listener of its own where the platform calls us.
type chat struct {
	*lab.Stage
	platform
	listener *lab.Worker // nil where the worker itself listens
	health   string      // address of the listener's
}

// platforms are all of them, by name. Each is made anew.
func platforms() map[string]func(t *testing.T, port int) platform {
	return map[string]func(t *testing.T, port int) platform{
		"slack-socket": func(t *testing.T, _ int) platform { return &onSlack{Server: slacktest.New(t)} },
		"slack-http": func(t *testing.T, port int) platform {
			return &onSlack{Server: slacktest.New(t), hook: fmt.Sprintf("http://127.0.0.1:%d/webhooks/slack", port)}
		},
		"telegram": func(t *testing.T, _ int) platform { return &onTelegram{telegramtest.New(t)} },
		"whatsapp": func(t *testing.T, port int) platform {
			return &onWhatsApp{Server: whatsapptest.New(t), hook: fmt.Sprintf("http://127.0.0.1:%d/webhooks/whatsapp", port)}
		},
	}
}

const onceAsked = "check: grep -q \"a + b\" calc.go\nsetup: \"true\"\nspecs: specs\napproval:\n  mode: required\n"

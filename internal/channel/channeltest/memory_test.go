package channeltest_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/channeltest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

const (
	secret = "memory-token-0123456789"
	limit  = 2000
)

// memory is a channel and its platform in one, with all features. flaw names what it does wrong.
type memory struct {
	flaw string

	mu      sync.Mutex
	shown   []channeltest.Shown
	files   map[string]channeltest.File // by key
	keys    map[string]task.MessageRef
	fail    channeltest.Failure
	lose    bool
	answers []string
	form    *channel.Question
	last    channel.Event
	events  chan channel.Event
	said    int
}

func (m *memory) bad(flaw string) bool { return m.flaw == flaw }

// trouble returns the error of a requested failure, once.
func (m *memory) trouble() error {
	kind := m.fail
	m.fail = ""
	switch {
	case kind == "":
		return nil
	case kind == channeltest.RateLimit && m.bad("no wait"):
		return fault.New(fault.Infra, "too many")
	case kind == channeltest.RateLimit:
		return &fault.Later{After: channeltest.Wait, Err: fault.New(fault.Infra, "too many")}
	case kind == channeltest.BadToken && m.bad("token in error"):
		return fault.New(fault.Denied, "token %s refused", secret)
	case kind == channeltest.BadToken:
		return fault.New(fault.Denied, "token refused")
	case kind == channeltest.NoRoom:
		return fault.New(fault.NotFound, "no such room")
	case m.bad("server error denied"):
		return fault.New(fault.Denied, "server error")
	}
	return fault.New(fault.Infra, "server error")
}

// joiner is an invisible character that disables a mention.
const joiner = "\u2060"

// calm disables mentions, which are "<!" and "<@" here.
func (m *memory) calm(s string) string {
	if m.bad("live mentions") {
		return s
	}
	return strings.NewReplacer("<!", "<"+joiner+"!", "<@", "<"+joiner+"@").Replace(s)
}

// parts splits a text into messages, each with text and code.
func (m *memory) parts(msg channel.Message, most int) (list []channeltest.Shown, err error) {
	text := msg.Whole()
	if m.bad("no foot") {
		text = msg.Text
	}
	blocks := channel.Read(text)
	if (len(blocks) == 0 && !m.bad("empty text")) || len(msg.Buttons) > 3 {
		return nil, fault.New(fault.Input, "message %q", msg.Key)
	}
	if c := channel.Countdown(msg, time.Now()); c != "" {
		blocks = append(blocks, channel.Read(c)...)
	}
	size := func(b channel.Block) int { return len(channel.Plain([]channel.Block{b})) + 2 }
	if m.bad("code is cut") {
		size = func(b channel.Block) int { return 3 * len(channel.Plain([]channel.Block{b})) }
	}
	fit := channel.Fit(blocks, size, limit, most)
	for i, p := range fit {
		s := channeltest.Shown{Text: m.calm(channel.Plain(p)), Sound: channeltest.Silent}
		if msg.Loud != m.bad("wrong sound") {
			s.Sound = channeltest.Loud
		}
		for _, b := range p {
			if b.Kind == channel.Code {
				s.Code = append(s.Code, b.Code)
			}
		}
		if i == len(fit)-1 || m.bad("buttons on all") {
			for _, b := range msg.Buttons {
				s.Buttons = append(s.Buttons, channeltest.Button{Label: b.Label, Token: b.Token})
			}
		}
		list = append(list, s)
	}
	if m.bad("rest is lost") {
		list[len(list)-1].Text = strings.ReplaceAll(list[len(list)-1].Text, "left out", "")
	}
	return list, nil
}

func (m *memory) Post(ctx context.Context, to task.Room, msg channel.Message, again bool) (task.MessageRef, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil && !m.bad("ended context") {
		return task.MessageRef{}, fault.New(fault.Infra, "post: %w", ctx.Err())
	}
	list, err := m.parts(msg, 6)
	if err != nil {
		return task.MessageRef{}, err
	}
	if at, ok := m.keys[msg.Key]; ok && again && !m.bad("posts twice") {
		return at, nil
	}
	if err := m.trouble(); err != nil {
		return task.MessageRef{}, err
	}
	var ids []string
	for _, s := range list {
		s.ID = strconv.Itoa(len(m.shown) + 1)
		if !m.bad("no thread") {
			s.Thread = to.Thread
		}
		m.shown = append(m.shown, s)
		ids = append(ids, s.ID)
	}
	at := task.MessageRef{Room: to}
	if len(ids) > 0 {
		at = channel.Ref(to, ids)
	}
	if m.bad("forgets parts") {
		at.Parts = nil
	}
	m.keys[msg.Key] = at
	return at, m.lost()
}

func (m *memory) Attach(_ context.Context, to task.Room, f channel.File, _ bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f.Text == "" {
		return fault.New(fault.Input, "file %q is empty", f.Name)
	}
	if err := m.trouble(); err != nil {
		return err
	}
	key := f.Key
	if _, there := m.files[key]; there && m.bad("file twice") {
		key += "again"
	}
	m.files[key] = channeltest.File{Thread: to.Thread, Name: f.Name, Note: m.calm(channel.Plain(channel.Read(f.Note))), Text: f.Text}
	return m.lost()
}

func (m *memory) lost() error {
	if m.lose {
		m.lose = false
		return fault.New(fault.Infra, "connection broke")
	}
	return nil
}

func (m *memory) Edit(_ context.Context, at task.MessageRef, msg channel.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, err := m.parts(msg, 1)
	if err != nil {
		return err
	}
	if err := m.trouble(); err != nil {
		return err
	}
	for i, s := range m.shown {
		if s.ID != at.Message {
			continue
		}
		list[0].ID, list[0].Thread = s.ID, s.Thread
		if m.bad("buttons stay") {
			list[0].Buttons = s.Buttons
		}
		if m.bad("edit posts") {
			list[0].ID = fmt.Sprint(len(m.shown) + 1)
			m.shown = append(m.shown, list[0])
			return nil
		}
		m.shown[i] = list[0]
		return m.lost()
	}
	if m.bad("gone is fine") {
		return nil
	}
	return fault.New(fault.NotFound, "message %q", at.Message)
}

// Listen keeps an event until the handler succeeds.
func (m *memory) Listen(ctx context.Context, handle channel.Handle) error {
	for {
		select {
		case <-ctx.Done():
			if m.bad("listen fails") {
				return ctx.Err()
			}
			return nil
		case e := <-m.events:
			a, err := handle(ctx, e)
			if err != nil && !m.bad("forgets") {
				m.events <- e
			}
			m.mu.Lock()
			m.form = a.Form
			switch {
			case err != nil && m.bad("error is shown"):
				m.answers = append(m.answers, err.Error())
			case m.bad("mute"):
			case a.Text != "":
				m.answers = append(m.answers, m.calm(channel.Plain(channel.Read(a.Text))))
			}
			m.mu.Unlock()
		}
	}
}

func (m *memory) happen(e channel.Event) {
	m.said++
	e.ID = fmt.Sprint("event-", m.said)
	if m.bad("one id") {
		e.ID = "event"
	}
	m.last = e
	m.events <- e
}

var errNoForm = errors.New("no form is open")

package app

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack"
	"github.com/longshift/longshift/internal/channel/telegram"
	"github.com/longshift/longshift/internal/channel/terminal"
	"github.com/longshift/longshift/internal/channel/whatsapp"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/inbound"
	"github.com/longshift/longshift/task"
)

// channels are the channels with a token, and the terminal if it was requested.
type channels struct {
	all       map[string]channel.Channel
	listeners map[string]channel.Listener
	webhooks  map[string]channel.Webhook // by the last element of their path
	rooms     []task.Room                // rooms that show every task
}

// newChannels builds the channels without making any call.
func newChannels(cfg config.Config, console io.ReadWriter, log *slog.Logger) (channels, error) {
	c := channels{all: map[string]channel.Channel{}, listeners: map[string]channel.Listener{}, webhooks: map[string]channel.Webhook{}}
	for _, open := range []func(config.Config, *slog.Logger) error{c.slack, c.telegram, c.whatsapp} {
		if err := open(cfg, log); err != nil {
			return channels{}, err
		}
	}
	if cfg.Channels.Terminal {
		t := terminal.New(terminal.Config{Out: console, In: console, Now: time.Now})
		c.all[channel.Terminal], c.listeners[channel.Terminal] = t, t
		c.rooms = append(c.rooms, task.Room{Channel: channel.Terminal, ID: terminal.Operator})
	}
	return c, nil
}

func (c *channels) slack(cfg config.Config, log *slog.Logger) error {
	set := cfg.Channels.Slack
	if !set.Bot.Present() {
		return nil
	}
	s, err := slack.New(slack.Config{BotToken: reader(set.Bot), AppToken: reader(set.App), SigningSecret: reader(set.Signing),
		APIURL: set.URL, Inbox: boxOf(cfg, channel.Slack), Log: log, Now: time.Now})
	if err != nil {
		return err
	}
	c.all[channel.Slack] = s
	if set.App.Present() {
		c.listeners[channel.Slack] = s
	}
	if set.Signing.Present() {
		c.webhooks[channel.Slack] = s
	}
	c.add(channel.Slack, set.Channels)
	return nil
}

func (c *channels) telegram(cfg config.Config, log *slog.Logger) error {
	set := cfg.Channels.Telegram
	if !set.Token.Present() {
		return nil
	}
	t, err := telegram.New(telegram.Config{Token: reader(set.Token), BaseURL: set.URL, Log: log, Now: time.Now})
	if err != nil {
		return err
	}
	c.all[channel.Telegram], c.listeners[channel.Telegram] = t, t
	c.add(channel.Telegram, set.Chats)
	return nil
}

func (c *channels) whatsapp(cfg config.Config, log *slog.Logger) error {
	set := cfg.Channels.WhatsApp
	if !set.Token.Present() {
		return nil
	}
	w, err := whatsapp.New(whatsapp.Config{Token: reader(set.Token), AppSecret: reader(set.Secret), VerifyToken: reader(set.Verify),
		PhoneNumberID: set.Phone, BaseURL: set.URL, Log: log, Now: time.Now})
	if err != nil {
		return err
	}
	c.all[channel.WhatsApp], c.webhooks[channel.WhatsApp] = w, w
	c.add(channel.WhatsApp, set.Numbers)
	return nil
}

func (c *channels) add(name string, ids []string) {
	for _, id := range ids {
		c.rooms = append(c.rooms, task.Room{Channel: name, ID: id})
	}
}

func reader(s config.Secret) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return s.Read() }
}

// people returns, by channel, who may do what. A person at the worker's terminal may do everything.
func people(cfg config.Config) map[string]inbound.People {
	operator := []string{terminal.Operator}
	s, t, w := cfg.Channels.Slack, cfg.Channels.Telegram, cfg.Channels.WhatsApp
	return map[string]inbound.People{
		channel.Slack:    {Start: s.Start, Approve: s.Approve, Commands: s.Commands},
		channel.Telegram: {Start: t.Start, Approve: t.Approve, Commands: t.Commands},
		channel.WhatsApp: {Start: w.Start, Approve: w.Approve, Commands: w.Commands},
		channel.Terminal: {Start: operator, Approve: operator, Commands: operator},
	}
}

// console is the worker's terminal. Output is redacted; input is read only if the terminal is interactive.
type console struct {
	io.Reader
	io.Writer
}

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
	"github.com/longshift/longshift/internal/task"
)

// channels are those that have a token, and the terminal when it was asked for.
type channels struct {
	all       map[string]channel.Channel
	listeners map[string]channel.Listener
	webhooks  map[string]channel.Webhook // by the last part of their address
	rooms     []task.Room                // in which every task is shown
}

// newChannels builds the channels. It calls nobody.
func newChannels(cfg config.Config, console io.ReadWriter, log *slog.Logger) (channels, error) {
	c := channels{all: map[string]channel.Channel{}, listeners: map[string]channel.Listener{}, webhooks: map[string]channel.Webhook{}}
	for _, open := range []func(config.Config, *slog.Logger) error{c.slack, c.telegram, c.whatsapp} {
		if err := open(cfg, log); err != nil {
			return channels{}, err
		}
	}
	if cfg.Terminal {
		t := terminal.New(terminal.Config{Out: console, In: console, Now: time.Now})
		c.all[channel.Terminal], c.listeners[channel.Terminal] = t, t
		c.rooms = append(c.rooms, task.Room{Channel: channel.Terminal, ID: terminal.Operator})
	}
	return c, nil
}

func (c *channels) slack(cfg config.Config, log *slog.Logger) error {
	if !cfg.Slack.Present() {
		return nil
	}
	s, err := slack.New(slack.Config{BotToken: reader(cfg.Slack), AppToken: reader(cfg.SlackApp), SigningSecret: reader(cfg.SlackSigning),
		APIURL: cfg.SlackURL, Inbox: boxOf(cfg, channel.Slack), Log: log, Now: time.Now})
	if err != nil {
		return err
	}
	c.all[channel.Slack] = s
	if cfg.SlackApp.Present() {
		c.listeners[channel.Slack] = s
	}
	if cfg.SlackSigning.Present() {
		c.webhooks[channel.Slack] = s
	}
	c.add(channel.Slack, cfg.SlackChannels)
	return nil
}

func (c *channels) telegram(cfg config.Config, log *slog.Logger) error {
	if !cfg.Telegram.Present() {
		return nil
	}
	t, err := telegram.New(telegram.Config{Token: reader(cfg.Telegram), BaseURL: cfg.TelegramURL, Log: log, Now: time.Now})
	if err != nil {
		return err
	}
	c.all[channel.Telegram], c.listeners[channel.Telegram] = t, t
	c.add(channel.Telegram, cfg.TelegramChats)
	return nil
}

func (c *channels) whatsapp(cfg config.Config, log *slog.Logger) error {
	if !cfg.WhatsApp.Present() {
		return nil
	}
	w, err := whatsapp.New(whatsapp.Config{Token: reader(cfg.WhatsApp), AppSecret: reader(cfg.WhatsAppSecret), VerifyToken: reader(cfg.WhatsAppVerify),
		PhoneNumberID: cfg.WhatsAppPhone, BaseURL: cfg.WhatsAppURL, Log: log, Now: time.Now})
	if err != nil {
		return err
	}
	c.all[channel.WhatsApp], c.webhooks[channel.WhatsApp] = w, w
	c.add(channel.WhatsApp, cfg.WhatsAppNumbers)
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

// people are who may do what, by channel. Whoever sits at the worker's terminal may do everything.
func people(cfg config.Config) map[string]inbound.People {
	operator := []string{terminal.Operator}
	return map[string]inbound.People{
		channel.Slack:    {Start: cfg.SlackStart, Approve: cfg.SlackApprove, Commands: cfg.SlackCommands},
		channel.Telegram: {Start: cfg.TelegramStart, Approve: cfg.TelegramApprove, Commands: cfg.TelegramCommands},
		channel.WhatsApp: {Start: cfg.WhatsAppStart, Approve: cfg.WhatsAppApprove, Commands: cfg.WhatsAppCommands},
		channel.Terminal: {Start: operator, Approve: operator, Commands: operator},
	}
}

// console is the terminal of the worker: what is written is redacted, what is typed is read only when somebody can type.
type console struct {
	io.Reader
	io.Writer
}

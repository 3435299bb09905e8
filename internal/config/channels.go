package config

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Channels are the chats in which people see and steer tasks.
type Channels struct {
	Slack      Slack
	Telegram   Telegram
	WhatsApp   WhatsApp
	Terminal   bool   `envconfig:"LONGSHIFT_TERMINAL" default:"false"`
	Repository string `envconfig:"LONGSHIFT_CHAT_REPOSITORY"`
	Projects   string `envconfig:"LONGSHIFT_PROJECTS"`
}

// Slack configures the Slack app, and what its users may do.
type Slack struct {
	Bot      Secret   `envconfig:"LONGSHIFT_SLACK_BOT_TOKEN"`
	App      Secret   `envconfig:"LONGSHIFT_SLACK_APP_TOKEN"`
	Signing  Secret   `envconfig:"LONGSHIFT_SLACK_SIGNING_SECRET"`
	URL      string   `envconfig:"LONGSHIFT_SLACK_URL"`
	Channels []string `envconfig:"LONGSHIFT_SLACK_CHANNELS"`
	Start    []string `envconfig:"LONGSHIFT_SLACK_START"`
	Approve  []string `envconfig:"LONGSHIFT_SLACK_APPROVE"`
	Commands []string `envconfig:"LONGSHIFT_SLACK_COMMANDS"`
}

// Telegram configures the bot, and what its users may do.
type Telegram struct {
	Token    Secret   `envconfig:"LONGSHIFT_TELEGRAM_TOKEN"`
	URL      string   `envconfig:"LONGSHIFT_TELEGRAM_URL" default:"https://api.telegram.org"`
	Chats    []string `envconfig:"LONGSHIFT_TELEGRAM_CHATS"`
	Start    []string `envconfig:"LONGSHIFT_TELEGRAM_START"`
	Approve  []string `envconfig:"LONGSHIFT_TELEGRAM_APPROVE"`
	Commands []string `envconfig:"LONGSHIFT_TELEGRAM_COMMANDS"`
}

// WhatsApp configures a number of the Cloud API, and what its users may do.
type WhatsApp struct {
	Token    Secret   `envconfig:"LONGSHIFT_WHATSAPP_TOKEN"`
	Secret   Secret   `envconfig:"LONGSHIFT_WHATSAPP_APP_SECRET"`
	Verify   Secret   `envconfig:"LONGSHIFT_WHATSAPP_VERIFY_TOKEN"`
	Phone    string   `envconfig:"LONGSHIFT_WHATSAPP_PHONE_ID"`
	URL      string   `envconfig:"LONGSHIFT_WHATSAPP_URL" default:"https://graph.facebook.com"`
	Numbers  []string `envconfig:"LONGSHIFT_WHATSAPP_NUMBERS"`
	Start    []string `envconfig:"LONGSHIFT_WHATSAPP_START"`
	Approve  []string `envconfig:"LONGSHIFT_WHATSAPP_APPROVE"`
	Commands []string `envconfig:"LONGSHIFT_WHATSAPP_COMMANDS"`
}

// telegramToken is the form that the channel takes. It is checked here too, so that a mistake is told before a code is handed out for a bot
// that hears nobody.
var telegramToken = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{10,100}$`)

// The forms of ids. Without a check, a name given in place of an id would silently match nobody.
var (
	slackRoom    = regexp.MustCompile(`^[CDG][A-Z0-9]{2,20}$`)
	slackUser    = regexp.MustCompile(`^[UW][A-Z0-9]{2,20}$`)
	telegramChat = regexp.MustCompile(`^-?[0-9]{1,20}$`)
	telegramUser = regexp.MustCompile(`^[0-9]{1,20}$`)
	phoneNumber  = regexp.MustCompile(`^[1-9][0-9]{5,18}$`)
	ownerName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*/([A-Za-z0-9._-]+|\*)$`)
)

// What to give where an id has the wrong form.
const (
	giveSlackRoom    = "give the id of a channel, such as C0123456789 (in its details, at the end)"
	giveSlackUser    = "give the id of a user, such as U0123456789 (in the profile: copy member ID)"
	giveTelegramChat = "give the id of a chat, such as 12345678 or -1001234567890"
	giveTelegramUser = "give the id of a user, such as 12345678; the bot tells it to everybody who writes to it"
	givePhoneNumber  = "give a phone number with its country, digits only, such as 491701234567"
)

// mostLabel leaves room for -claimed in the 50 characters that GitHub takes.
const mostLabel = 42

func fitsLabel(label string) bool {
	return label != "" && strings.TrimSpace(label) == label && !strings.ContainsAny(label, ",\r\n") && utf8.RuneCountInString(label) <= mostLabel
}

// validateChannels checks the channels, and what starts tasks on GitHub.
func (c *Config) validateChannels() []error {
	var mistakes []error
	wrong := func(ok bool, name, value, what string) {
		if !ok {
			mistakes = append(mistakes, mistake(name, value, what))
		}
	}
	s, t, w, g := &c.Channels.Slack, &c.Channels.Telegram, &c.Channels.WhatsApp, &c.GitHub
	for _, l := range []struct {
		name string
		list *[]string
		form *regexp.Regexp
		give string
	}{
		{"LONGSHIFT_SLACK_CHANNELS", &s.Channels, slackRoom, giveSlackRoom},
		{"LONGSHIFT_SLACK_START", &s.Start, slackUser, giveSlackUser},
		{"LONGSHIFT_SLACK_APPROVE", &s.Approve, slackUser, giveSlackUser},
		{"LONGSHIFT_SLACK_COMMANDS", &s.Commands, slackUser, giveSlackUser},
		{"LONGSHIFT_TELEGRAM_CHATS", &t.Chats, telegramChat, giveTelegramChat},
		{"LONGSHIFT_TELEGRAM_START", &t.Start, telegramUser, giveTelegramUser},
		{"LONGSHIFT_TELEGRAM_APPROVE", &t.Approve, telegramUser, giveTelegramUser},
		{"LONGSHIFT_TELEGRAM_COMMANDS", &t.Commands, telegramUser, giveTelegramUser},
		{"LONGSHIFT_WHATSAPP_NUMBERS", &w.Numbers, phoneNumber, givePhoneNumber},
		{"LONGSHIFT_WHATSAPP_START", &w.Start, phoneNumber, givePhoneNumber},
		{"LONGSHIFT_WHATSAPP_APPROVE", &w.Approve, phoneNumber, givePhoneNumber},
		{"LONGSHIFT_WHATSAPP_COMMANDS", &w.Commands, phoneNumber, givePhoneNumber},
		{"LONGSHIFT_GITHUB_REPOSITORIES", &g.Repositories, ownerName, "give owner/name, or owner/*"},
	} {
		*l.list = tidy(*l.list)
		for _, item := range *l.list {
			wrong(l.form.MatchString(item), l.name, quotable(item), "not of the right form; "+l.give)
		}
	}
	wrong(g.Writes >= 0, "LONGSHIFT_GITHUB_WRITES", strconv.Itoa(g.Writes), "negative; give the requests in a minute, or 0 for any number")
	wrong(g.Poll >= 0, "LONGSHIFT_GITHUB_POLL", g.Poll.String(), "negative; give a duration such as 1m, or 0s for never")
	wrong(fitsLabel(g.Label), "LONGSHIFT_GITHUB_LABEL", g.Label, fmt.Sprintf("can't be the label of issues to work on; give one of at most %d "+
		"characters, without commas: -claimed is put behind it for claimed issues", mostLabel))
	wrong(t.Token.value == "" || telegramToken.MatchString(strings.TrimSpace(t.Token.value)), t.Token.source, "",
		"not of the form 123456:ABC…; give the token that @BotFather shows for the bot")
	wrong(!w.Token.Present() || w.Phone != "", "LONGSHIFT_WHATSAPP_PHONE_ID", "",
		"not set, and there is a token for WhatsApp; give the id of the phone number")
	wrong(!w.Token.Present() || w.Secret.Present(), "LONGSHIFT_WHATSAPP_APP_SECRET", "",
		"not set, and there is a token for WhatsApp; without it nobody's message could be trusted")
	wrong(!s.App.Present() || s.Bot.Present(), "LONGSHIFT_SLACK_BOT_TOKEN", "", "not set, and there is a token for Socket Mode; give both")
	wrong(w.Phone == "" || strings.Trim(w.Phone, "0123456789") == "", "LONGSHIFT_WHATSAPP_PHONE_ID", w.Phone, "not an id; give digits only")
	return mistakes
}

package config

import (
	"regexp"
	"strings"
)

// The forms of ids. A name in the place of an id would match nobody, and nobody would know why.
var (
	slackRoom    = regexp.MustCompile(`^[CDG][A-Z0-9]{2,20}$`)
	slackUser    = regexp.MustCompile(`^[UW][A-Z0-9]{2,20}$`)
	telegramChat = regexp.MustCompile(`^-?[0-9]{1,20}$`)
	telegramUser = regexp.MustCompile(`^[0-9]{1,20}$`)
	phoneNumber  = regexp.MustCompile(`^[1-9][0-9]{5,18}$`)
	ownerName    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/([A-Za-z0-9._-]+|\*)$`)
)

// validateChannels checks what concerns chats and webhooks.
func (c *Config) validateChannels() []error {
	var mistakes []error
	wrong := func(ok bool, name, value, what string) {
		if !ok {
			mistakes = append(mistakes, mistake(name, value, what))
		}
	}
	for _, l := range []struct {
		name string
		list *[]string
		form *regexp.Regexp
		way  string
	}{
		{"LONGSHIFT_SLACK_CHANNELS", &c.SlackChannels, slackRoom, "give the id of a channel, such as C0123456789 (in its details, at the end)"},
		{"LONGSHIFT_SLACK_START", &c.SlackStart, slackUser, "give the id of a user, such as U0123456789 (in the profile: copy member ID)"},
		{"LONGSHIFT_SLACK_APPROVE", &c.SlackApprove, slackUser, "give the id of a user, such as U0123456789 (in the profile: copy member ID)"},
		{"LONGSHIFT_SLACK_COMMANDS", &c.SlackCommands, slackUser, "give the id of a user, such as U0123456789 (in the profile: copy member ID)"},
		{"LONGSHIFT_TELEGRAM_CHATS", &c.TelegramChats, telegramChat, "give the id of a chat, such as 12345678 or -1001234567890"},
		{"LONGSHIFT_TELEGRAM_START", &c.TelegramStart, telegramUser, "give the id of a user, such as 12345678; the bot tells it to whoever writes to it"},
		{"LONGSHIFT_TELEGRAM_APPROVE", &c.TelegramApprove, telegramUser, "give the id of a user, such as 12345678; the bot tells it to whoever writes to it"},
		{"LONGSHIFT_TELEGRAM_COMMANDS", &c.TelegramCommands, telegramUser, "give the id of a user, such as 12345678; the bot tells it to whoever writes to it"},
		{"LONGSHIFT_WHATSAPP_NUMBERS", &c.WhatsAppNumbers, phoneNumber, "give a phone number with its country, digits only, such as 491701234567"},
		{"LONGSHIFT_WHATSAPP_START", &c.WhatsAppStart, phoneNumber, "give a phone number with its country, digits only, such as 491701234567"},
		{"LONGSHIFT_WHATSAPP_APPROVE", &c.WhatsAppApprove, phoneNumber, "give a phone number with its country, digits only, such as 491701234567"},
		{"LONGSHIFT_WHATSAPP_COMMANDS", &c.WhatsAppCommands, phoneNumber, "give a phone number with its country, digits only, such as 491701234567"},
		{"LONGSHIFT_GITHUB_REPOSITORIES", &c.GitHubRepositories, ownerName, "give owner/name, or owner/*"},
	} {
		*l.list = tidy(*l.list)
		for _, item := range *l.list {
			wrong(l.form.MatchString(item), l.name, item, "not of the right form; "+l.way)
		}
	}
	wrong(c.GitHubPoll >= 0, "LONGSHIFT_GITHUB_POLL", c.GitHubPoll.String(), "negative; give a duration such as 1m, or 0s for never")
	wrong(c.GitHubLabel != "" && len(c.GitHubLabel) <= 50, "LONGSHIFT_GITHUB_LABEL", c.GitHubLabel, "not a label; give one of up to 50 characters")
	wrong(!c.WhatsApp.Present() || c.WhatsAppPhone != "", "LONGSHIFT_WHATSAPP_PHONE_ID", "", "not set, and there is a token for WhatsApp; give the id of the phone number")
	wrong(!c.WhatsApp.Present() || c.WhatsAppSecret.Present(), "LONGSHIFT_WHATSAPP_APP_SECRET", "", "not set, and there is a token for WhatsApp; without it nobody's message could be trusted")
	wrong(!c.SlackApp.Present() || c.Slack.Present(), "LONGSHIFT_SLACK_BOT_TOKEN", "", "not set, and there is a token for Socket Mode; give both")
	wrong(c.WhatsAppPhone == "" || strings.Trim(c.WhatsAppPhone, "0123456789") == "", "LONGSHIFT_WHATSAPP_PHONE_ID", c.WhatsAppPhone, "not an id; give digits only")
	return mistakes
}

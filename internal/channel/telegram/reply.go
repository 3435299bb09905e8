package telegram

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

const (
	mostAlert   = 200 // of an alert; counting UTF-16 code units is safe
	replyTries  = 3
	longestWait = 10 * time.Second // before an answer is retried, because other updates wait meanwhile
)

// reply shows the answer. A press gets an alert, which only that person sees; a longer text, and the answer to a
// message, are sent as a reply. The update has been handled, so an error is only logged.
func (l *listener) reply(ctx context.Context, u update, e channel.Event, a channel.Answer) {
	text := a.Text
	if a.Form != nil { // Telegram has no forms: people reply to the message
		text = strings.TrimSpace(text + "\n\n" + a.Form.Hint)
	}
	if u.Press != nil {
		alert := channel.Plain(channel.Read(text))
		if channel.Length(alert) > mostAlert {
			alert = ""
		}
		if err := l.alert(ctx, u.Press.ID, alert); err == nil && (alert != "" || text == "") {
			return
		}
	}
	if text != "" {
		l.below(ctx, e, text)
	}
}

// dismiss ends the progress indicator on a pressed button.
func (l *listener) dismiss(ctx context.Context, u update, text string) {
	if u.Press != nil {
		_ = l.alert(ctx, u.Press.ID, text)
	}
}

// alert answers a press. Telegram refuses that a few minutes after the press.
func (l *listener) alert(ctx context.Context, id, text string) error {
	err := l.try(ctx, func() error {
		return l.call(ctx, "answerCallbackQuery", func(ctx context.Context, b *bot.Bot) error {
			_, err := b.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: id, Text: text, ShowAlert: text != ""})
			return err
		})
	})
	if err != nil && ctx.Err() == nil {
		l.log.Info("a press on Telegram could not be answered", "error", err)
	}
	return err
}

// below sends an answer as a reply.
func (l *listener) below(ctx context.Context, e channel.Event, text string) {
	chat, _ := strconv.ParseInt(e.Room.ID, 10, 64)
	to, _ := strconv.Atoi(e.Message)
	for _, p := range parts(channel.Message{Text: text}, l.now(), mostParts) {
		err := l.try(ctx, func() error {
			_, err := l.send(ctx, &bot.SendMessageParams{
				ChatID: chat, Text: p.text, Entities: p.entities, LinkPreviewOptions: noPreview, DisableNotification: true,
				ReplyParameters: &models.ReplyParameters{MessageID: to, AllowSendingWithoutReply: true},
			})
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				l.log.Warn("an answer on Telegram could not be written", "event", e.ID, "error", err)
			}
			return
		}
	}
}

// try retries temporary errors a few times.
func (l *listener) try(ctx context.Context, do func() error) error {
	for n := 1; ; n++ {
		err := do()
		if err == nil || n == replyTries || fault.KindOf(err) != fault.Infra || ctx.Err() != nil {
			return err
		}
		d := l.after(n)
		var later *fault.Later
		if errors.As(err, &later) {
			d = later.After
		}
		l.wait(ctx, min(d, longestWait))
	}
}

// asRefusal returns the refusal in an error, or converts the error to one.
func asRefusal(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return &refusal{text: err.Error(), cause: err}
}

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
	mostAlert   = 200 // of an alert; counted in UTF-16 code units, which is never too many
	replyTries  = 3
	longestWait = 10 * time.Second // before an answer is tried again: others wait in the meantime
)

// reply shows the answer. A press gets an alert that only the one who pressed sees; what is too long for that, and what answers a
// message, is written below it. The update has been taken already, so an answer that can't be shown is logged, not asked for again.
func (l *listener) reply(ctx context.Context, u update, e channel.Event, a channel.Answer) {
	text := a.Text
	if a.Form != nil { // Telegram has no forms: people answer the message
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

// dismiss ends the waiting sign on a button that was pressed.
func (l *listener) dismiss(ctx context.Context, u update, text string) {
	if u.Press != nil {
		_ = l.alert(ctx, u.Press.ID, text)
	}
}

// alert answers a press. Telegram refuses that when the press is older than a few minutes.
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

// below writes an answer under what it answers.
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

// try does a call again for what passes, a few times.
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

// asRefusal takes the refusal out of an error, or makes one of it.
func asRefusal(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return &refusal{text: err.Error(), cause: err}
}

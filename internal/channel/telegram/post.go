package telegram

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Post writes a message, split into several if it is long. With again it continues after the parts that this process has
// sent; it can't know about other processes, and sends theirs again. If a group has become a supergroup, Post writes
// there, and the returned place names it.
func (t *Telegram) Post(ctx context.Context, to task.Room, m channel.Message, again bool) (task.MessageRef, error) {
	chat, err := chatID(to)
	if err != nil {
		return task.MessageRef{}, err
	}
	thread, err := messageID("thread", to.Thread, true)
	if err != nil {
		return task.MessageRef{}, err
	}
	keys, err := keyboard(m.Buttons)
	if err != nil {
		return task.MessageRef{}, err
	}
	list := parts(m, t.now(), mostParts)
	if len(list) == 0 {
		return task.MessageRef{}, fault.New(fault.Input, "the message %q has no text", m.Key)
	}
	var done progress
	if again {
		done = t.written.Of(to, m)
	}
	if done.chat == 0 {
		done.chat = chat
	}
	for i := len(done.ids); i < len(list); i++ {
		p := &bot.SendMessageParams{
			ChatID: done.chat, Text: list[i].text, Entities: list[i].entities, LinkPreviewOptions: noPreview, DisableNotification: true,
		}
		if thread != 0 && done.chat == chat {
			p.ReplyParameters = &models.ReplyParameters{MessageID: thread, AllowSendingWithoutReply: true}
		}
		if i == len(list)-1 {
			p.DisableNotification = !m.Loud
			p.ReplyMarkup = keys
		}
		id, err := t.send(ctx, p)
		if err != nil {
			return task.MessageRef{}, err
		}
		done.chat, done.ids = p.ChatID.(int64), append(slices.Clip(done.ids), id)
		t.written.Keep(to, m, done)
	}
	var ids []string
	for _, id := range done.ids {
		ids = append(ids, strconv.Itoa(id))
	}
	at := channel.Ref(to, ids)
	if done.chat != chat {
		at.ID, at.Thread = strconv.FormatInt(done.chat, 10), ""
	}
	return at, nil
}

// send sends one message. It follows a migrated group once; message ids are not valid there.
func (t *Telegram) send(ctx context.Context, p *bot.SendMessageParams) (int, error) {
	id, err := t.sendOnce(ctx, p)
	var r *refusal
	if errors.As(err, &r) && r.moved != 0 {
		t.log.Warn("a Telegram group has become a supergroup: write its new number into the settings", "was", p.ChatID, "is", r.moved)
		p.ChatID, p.ReplyParameters = r.moved, nil
		id, err = t.sendOnce(ctx, p)
	}
	return id, err
}

func (t *Telegram) sendOnce(ctx context.Context, p *bot.SendMessageParams) (id int, err error) {
	err = t.call(ctx, "sendMessage", func(ctx context.Context, b *bot.Bot) error {
		got, err := b.SendMessage(ctx, p)
		if err == nil && got.ID <= 0 {
			err = errors.New("the answer names no message")
		}
		if err == nil {
			id = got.ID
		}
		return err
	})
	return id, err
}

// Edit replaces the text of one message. What does not fit is omitted, with a note at the end. Earlier parts of a split
// message stay as they are.
func (t *Telegram) Edit(ctx context.Context, at task.MessageRef, m channel.Message) error {
	chat, err := chatID(at.Room)
	if err != nil {
		return err
	}
	id, err := messageID("message", at.Message, false)
	if err != nil {
		return err
	}
	keys, err := keyboard(m.Buttons)
	if err != nil {
		return err
	}
	list := parts(m, t.now(), 1)
	if len(list) == 0 {
		return fault.New(fault.Input, "the message %q has no text", m.Key)
	}
	one := list[0]
	err = t.call(ctx, "editMessageText", func(ctx context.Context, b *bot.Bot) error {
		_, err := b.EditMessageText(ctx, &bot.EditMessageTextParams{
			ChatID: chat, MessageID: id, Text: one.text, Entities: one.entities, LinkPreviewOptions: noPreview, ReplyMarkup: keys,
		})
		return err
	})
	var r *refusal
	if errors.As(err, &r) && r.says("message is not modified") {
		return nil
	}
	return err
}

var noPreview = &models.LinkPreviewOptions{IsDisabled: bot.True()}

// chatID parses the room. Only numeric ids are permanent: an @name can be taken over by somebody else.
func chatID(room task.Room) (int64, error) {
	id, err := strconv.ParseInt(room.ID, 10, 64)
	if room.Channel != channel.Telegram || err != nil || id == 0 {
		return 0, fault.New(fault.Input, "room %q of channel %q is no chat of Telegram", room.ID, room.Channel).WithHint(chatHint)
	}
	return id, nil
}

func messageID(what, text string, optional bool) (int, error) {
	if text == "" && optional {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 32)
	if err != nil || id <= 0 {
		return 0, fault.New(fault.Input, "%s %q is no message of Telegram", what, text).WithHint("give its number")
	}
	return int(id), nil
}

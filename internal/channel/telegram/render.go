package telegram

import (
	"regexp"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"github.com/longshift/longshift/internal/channel"
)

// Limits of a message. Text and offsets are counted in UTF-16 code units, as Telegram does.
const (
	mostText     = 4096
	mostEntities = 100 // Telegram silently drops further ones
	mostParts    = 8   // a chat accepts about one message a second
	lastLine     = 200 // always reserved for the countdown, so that it does not change where a text is split
	between      = "\n\n"
)

// part is one Telegram message: text and entities. Telegram's own markup is never used.
type part struct {
	text     string
	entities []models.MessageEntity
}

// parts renders a message as at most most parts. It returns none for a message without text.
func parts(m channel.Message, now time.Time, most int) []part {
	groups := channel.Fit(channel.Read(m.Whole()), size, mostText-lastLine, most)
	if len(groups) == 0 {
		return nil
	}
	if c := channel.Countdown(m, now); c != "" {
		end := &groups[len(groups)-1]
		*end = append((*end)[:len(*end):len(*end)], channel.Block{
			Spans: []channel.Span{{Text: channel.Shorten(c, lastLine/2-len(between)), Italic: true}}})
	}
	var out []part
	for _, g := range groups {
		if p := render(g); strings.TrimSpace(p.text) != "" {
			out = append(out, p)
		}
	}
	return out
}

func size(b channel.Block) int {
	var w writer
	w.block(b)
	return w.at + len(between)
}

func render(blocks []channel.Block) part {
	var w writer
	for _, b := range blocks {
		if b.Kind == channel.Code {
			w.kept++
		}
	}
	for i, b := range blocks {
		switch {
		case i == 0:
		case b.Kind == blocks[i-1].Kind && (b.Kind == channel.Item || b.Kind == channel.Quote):
			w.plain("\n")
		default:
			w.plain(between)
		}
		if b.Kind == channel.Code {
			w.kept--
		}
		w.block(b)
	}
	return part{text: w.text.String(), entities: w.entities}
}

var languageShape = regexp.MustCompile(`^[A-Za-z0-9+#_.-]{1,30}$`)

func (w *writer) block(b channel.Block) {
	start := w.at
	switch b.Kind {
	case channel.Rule:
		w.plain("———")
		return
	case channel.Code:
		w.code(b)
		return
	case channel.Item:
		// En spaces: Telegram removes ordinary spaces at the beginning of a message.
		w.plain(strings.Repeat("\u2002\u2002", b.Level) + b.Mark + " ")
	}
	for _, s := range b.Spans {
		s.Bold = s.Bold || b.Kind == channel.Heading
		w.span(s)
	}
	if b.Kind == channel.Quote {
		w.mark(models.MessageEntity{Type: models.MessageEntityTypeBlockquote, Offset: start})
	}
}

// code writes a code block. Tabs become spaces, since Telegram replaces each by a single space.
func (w *writer) code(b channel.Block) {
	code := strings.ReplaceAll(b.Code, "\t", "    ")
	if !w.room() {
		w.plain(code)
		return
	}
	e := models.MessageEntity{Type: models.MessageEntityTypePre, Offset: w.at}
	if languageShape.MatchString(b.Lang) {
		e.Language = b.Lang
	}
	w.raw(code)
	w.mark(e)
}

func (w *writer) span(s channel.Span) {
	w.apart(s.Text)
	start, link := w.at, safe(s.Link)
	switch {
	case s.Mono && link == "" && w.room():
		// Code can't be combined with other styles, except in a quote. Telegram detects no references in it.
		w.raw(s.Text)
		w.style(start, models.MessageEntityTypeCode, "")
		return
	default:
		w.plain(s.Text)
	}
	if link != "" {
		w.style(start, models.MessageEntityTypeTextLink, link)
	}
	if s.Bold {
		w.style(start, models.MessageEntityTypeBold, "")
	}
	if s.Italic {
		w.style(start, models.MessageEntityTypeItalic, "")
	}
	if s.Strike {
		w.style(start, models.MessageEntityTypeStrikethrough, "")
	}
}

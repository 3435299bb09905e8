package telegram

import (
	"regexp"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"github.com/longshift/longshift/internal/channel"
)

// What one message holds. Text and offsets are counted in UTF-16 code units, as Telegram does.
const (
	mostText     = 4096
	mostEntities = 100 // Telegram drops further ones without a word
	mostParts    = 8   // a chat takes about one message a second
	lastLine     = 200 // kept free for the countdown, always: a text is cut at the same places whether there is one or not
	between      = "\n\n"
)

// part is one message as Telegram takes it: text, and where it looks how. Text that Telegram itself reads as markup is never sent.
type part struct {
	text     string
	entities []models.MessageEntity
}

// parts gives a message in as many parts as it takes, up to most. It is empty for a message without a text.
func parts(m channel.Message, now time.Time, most int) []part {
	groups := channel.Fit(channel.Read(m.Text), size, mostText-lastLine, most)
	if len(groups) == 0 {
		return nil
	}
	if c := channel.Countdown(m, now); c != "" {
		end := &groups[len(groups)-1]
		*end = append((*end)[:len(*end):len(*end)], channel.Block{Spans: []channel.Span{{Text: channel.Shorten(c, lastLine/2-len(between)), Italic: true}}})
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
		// En spaces: Telegram takes ordinary blanks off the beginning of a message.
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

// code writes a block of code. Telegram makes one blank of a tab, so tabs become blanks here.
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
		// Nothing may be within code, and code within nothing but a quote. Telegram looks for no names or commands in it.
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

package telegram

import (
	"strings"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"
)

type writer struct {
	text     strings.Builder
	at       int    // length so far in UTF-16 code units
	tail     []rune // last characters, to detect references
	entities []models.MessageEntity
	kept     int // entities reserved for later code blocks
}

// style adds an entity for the text since start, unless the limit is reached.
func (w *writer) style(start int, kind models.MessageEntityType, link string) {
	if w.room() {
		w.mark(models.MessageEntity{Type: kind, Offset: start, URL: link})
	}
}

func (w *writer) room() bool { return len(w.entities)+w.kept < mostEntities }

// mark ends an entity here. Telegram refuses empty ones.
func (w *writer) mark(e models.MessageEntity) {
	if e.Length = w.at - e.Offset; e.Length > 0 && len(w.entities) < mostEntities {
		w.entities = append(w.entities, e)
	}
}

// raw writes text unchanged.
func (w *writer) raw(s string) {
	for _, r := range s {
		w.rune(r)
	}
}

func (w *writer) rune(r rune) {
	w.text.WriteRune(r)
	w.at += max(utf16.RuneLen(r), 1)
	if w.tail = append(w.tail, r); len(w.tail) > longestTail {
		w.tail = append(w.tail[:0], w.tail[len(w.tail)-longestTail:]...)
	}
}

package telegram

import (
	"strings"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"
)

// writer puts a message together.
type writer struct {
	text     strings.Builder
	at       int    // UTF-16 code units so far
	tail     []rune // the last few characters, for defusing
	entities []models.MessageEntity
	kept     int // entities that are kept free for blocks of code still to come
}

// style marks what was written since start, where there is room.
func (w *writer) style(start int, kind models.MessageEntityType, link string) {
	if w.room() {
		w.mark(models.MessageEntity{Type: kind, Offset: start, URL: link})
	}
}

func (w *writer) room() bool { return len(w.entities)+w.kept < mostEntities }

// mark ends an entity here. One of no length would be refused.
func (w *writer) mark(e models.MessageEntity) {
	if e.Length = w.at - e.Offset; e.Length > 0 && len(w.entities) < mostEntities {
		w.entities = append(w.entities, e)
	}
}

// raw writes text as it is.
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

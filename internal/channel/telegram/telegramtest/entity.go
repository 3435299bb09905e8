package telegramtest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// Entity styles a part of a text. Offset and Length count UTF-16 code units.
type Entity struct {
	Type     string `json:"type"`
	Offset   int    `json:"offset"`
	Length   int    `json:"length"`
	URL      string `json:"url"`
	Language string `json:"language"`
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

// Cut returns the text of an entity.
func (m Message) Cut(e Entity) string {
	return string(utf16.Decode(utf16.Encode([]rune(m.Sent))[e.Offset : e.Offset+e.Length]))
}

// Code returns the code blocks.
func (m Message) Code() (list []string) {
	for _, e := range m.Entities {
		if e.Type == "pre" {
			list = append(list, m.Cut(e))
		}
	}
	return list
}

var styles = []string{"bold", "italic", "strikethrough", "code", "pre", "text_link", "blockquote"}

// Check verifies the rules for the positions and nesting of entities.
func (m Message) Check() error {
	text := utf16.Encode([]rune(m.Sent))
	if len(m.Entities) > 100 {
		return fmt.Errorf("%d entities", len(m.Entities))
	}
	for i, e := range m.Entities {
		end := e.Offset + e.Length
		switch {
		case !slices.Contains(styles, e.Type):
			return fmt.Errorf("entity of type %q", e.Type)
		case e.Offset < 0 || e.Length <= 0 || end > len(text):
			return fmt.Errorf("entity %+v is outside of a text of %d", e, len(text))
		case inPair(text, e.Offset) || inPair(text, end):
			return fmt.Errorf("entity %+v breaks a character", e)
		case (e.URL != "") != (e.Type == "text_link") || e.URL != "" && !strings.HasPrefix(e.URL, "http"):
			return fmt.Errorf("entity %+v: address", e)
		case e.Language != "" && e.Type != "pre":
			return fmt.Errorf("entity %+v: language", e)
		}
		for _, o := range m.Entities[i+1:] {
			if err := together(e, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func together(a, b Entity) error {
	if a.Offset >= b.Offset+b.Length || b.Offset >= a.Offset+a.Length {
		return nil
	}
	holds := func(a, b Entity) bool { return a.Offset <= b.Offset && a.Offset+a.Length >= b.Offset+b.Length }
	alone := func(e Entity) bool { return e.Type == "code" || e.Type == "pre" }
	switch {
	case !holds(a, b) && !holds(b, a):
		return fmt.Errorf("entities %+v and %+v cross", a, b)
	case a.Type == b.Type, (alone(a) && b.Type != "blockquote"), (alone(b) && a.Type != "blockquote"):
		return fmt.Errorf("entities %+v and %+v stand in each other", a, b)
	}
	return nil
}

func inPair(text []uint16, at int) bool {
	return at > 0 && at < len(text) && utf16.IsSurrogate(rune(text[at-1])) && text[at-1] < 0xdc00
}

// found matches what Telegram detects in text outside of code: names, commands, and addresses that open the app.
var found = regexp.MustCompile(`(?i)(?:^|[^\pL\pN_])@[a-z0-9_]{2,32}|(?:^|[^\pL\pN_/<>])/[a-z0-9_]{1,64}|` +
	`\b(?:tg|ton|tonsite)://|\b(?:t|telegram)\.(?:me|dog)\b`)

var ownLink = regexp.MustCompile(`(?i)^https?://([^/]*\.)?(t|telegram)\.(me|dog)\.?([:/?#]|$)`)

// Live returns everything in the message that notifies people, is a command, or opens the app.
func (m Message) Live() (list []string) {
	text := utf16.Encode([]rune(m.Sent))
	for _, e := range m.Entities {
		if e.Type == "code" || e.Type == "pre" {
			for i := e.Offset; i < e.Offset+e.Length; i++ {
				if inWord(text[i]) {
					text[i] = 'x' // code still counts as what precedes other text
				} else {
					text[i] = ' '
				}
			}
		}
		if e.Type == "text_link" && (ownLink.MatchString(e.URL) || !strings.HasPrefix(e.URL, "http")) {
			list = append(list, e.URL)
		}
	}
	return append(list, found.FindAllString(string(utf16.Decode(text)), -1)...)
}

func inWord(u uint16) bool {
	return u == '_' || u >= '0' && u <= '9' || u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z'
}

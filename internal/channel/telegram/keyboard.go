package telegram

import (
	"unicode/utf8"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

const (
	mostKeys  = 3
	mostToken = 64 // bytes
	oneRow    = 32 // characters that fit side by side on a small screen
)

// button replaces the library's type, which always sends an empty "copy_text", although a button may have one action
// only.
type button struct {
	Text  string `json:"text"`
	Data  string `json:"callback_data"`
	Style string `json:"style,omitempty"` // "primary" or "danger"; older apps and servers ignore it
}

type keys struct {
	Rows [][]button `json:"inline_keyboard"`
}

// keyboard returns the buttons, side by side if they are short. No buttons is nil, which removes existing ones.
func keyboard(list []channel.Button) (any, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if len(list) > mostKeys {
		return nil, fault.New(fault.Input, "%d buttons on a message, at most %d are possible", len(list), mostKeys)
	}
	var row []button
	length := 0
	for _, b := range list {
		if b.Label == "" || b.Token == "" || len(b.Token) > mostToken {
			return nil, fault.New(fault.Input, "button %q with token %q: Telegram takes a label and a token of 1 to %d bytes",
				b.Label, b.Token, mostToken)
		}
		length += utf8.RuneCountInString(b.Label)
		row = append(row, button{Text: b.Label, Data: b.Token, Style: string(b.Style)})
	}
	if length <= oneRow {
		return keys{Rows: [][]button{row}}, nil
	}
	var k keys
	for _, b := range row {
		k.Rows = append(k.Rows, []button{b})
	}
	return k, nil
}

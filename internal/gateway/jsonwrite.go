package gateway

import (
	"bytes"
	"encoding/json"
)

// encodeJSON writes a value in a canonical form: order and numbers as they were read, strings without needless escapes.
func encodeJSON(v value) []byte {
	w := writer{}
	w.texts = json.NewEncoder(&w.out)
	w.texts.SetEscapeHTML(false)
	w.value(v)
	return w.out.Bytes()
}

type writer struct {
	out   bytes.Buffer
	texts *json.Encoder // writes to out
}

func (w *writer) value(v value) {
	switch v := v.(type) {
	case *dict:
		w.out.WriteByte('{')
		for i, m := range v.members {
			w.comma(i)
			w.scalar(m.key)
			w.out.WriteByte(':')
			w.value(m.value)
		}
		w.out.WriteByte('}')
	case []value:
		w.out.WriteByte('[')
		for i, item := range v {
			w.comma(i)
			w.value(item)
		}
		w.out.WriteByte(']')
	default:
		w.scalar(v)
	}
}

func (w *writer) comma(i int) {
	if i > 0 {
		w.out.WriteByte(',')
	}
}

// scalar writes nil, a bool, a number or a string, none of which can fail.
func (w *writer) scalar(v value) {
	_ = w.texts.Encode(v)
	w.out.Truncate(w.out.Len() - 1) // the newline that json.Encoder adds
}

package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Rules for values that the process holds. Each stops a push.
const (
	rulePlain   = "held-value"
	ruleSplit   = "held-value:split"
	ruleEscaped = "held-value:escaped"
	ruleBase64  = "held-value:base64"
	ruleHex     = "held-value:hex"
	ruleDecimal = "held-value:decimal"
	ruleReverse = "held-value:reversed"
	ruleCase    = "held-value:case"
	ruleRot13   = "held-value:rot13"
	ruleBase32  = "held-value:base32"
	ruleAscii85 = "held-value:ascii85"
	ruleTwice   = "held-value:coded-twice"
	rulePart    = "held-value:part"
)

// Held reports whether a rule stands for values that the process holds, and not for a public format of tokens.
func Held(rule string) bool { return strings.HasPrefix(rule, rulePlain) }

// form is an encoding of a value to search for.
type form struct {
	rule  string
	text  string
	value string
	// exact forms are matched literally, because they are short or consist of more than letters and digits.
	exact bool
	// literal forms are not searched for in parts.
	literal bool
	// spread forms are searched for part by part: a line break in their middle changes the rest, or stays in it.
	spread bool
}

// formsOf lists the encodings in which a value is searched for. Few escaped ones are among them: the search decodes
// escapes itself if the value has enough letters and digits.
func formsOf(value string) []form {
	if len(value) < short {
		return []form{{rule: rulePlain, text: value, exact: true, literal: true}}
	}
	forms := []form{{rule: rulePlain, text: value, value: value, exact: true}}
	if unescaped, _ := unescape(nil, nil, []byte(value), false); len(unescaped) >= short {
		forms = append(forms, form{rule: rulePlain, text: string(unescaped), value: value})
	}
	for _, text := range escapes(value) {
		forms = append(forms, form{rule: ruleEscaped, text: text, exact: true, literal: true})
	}
	once := coded(value)
	forms = append(append(forms, once...), form{rule: ruleDecimal, text: decimal(value)})
	forms = append(append(forms, base32At(value)...), ascii85At(value)...)
	return append(append(forms, recoded(value)...), twice(once)...)
}

// coded returns a value in base64 at all offsets, and in hex.
func coded(value string) (forms []form) {
	for skip := range 3 {
		for _, text := range base64At(value, skip) {
			forms = append(forms, form{rule: ruleBase64, text: text})
		}
	}
	digits := hex.EncodeToString([]byte(value))
	return append(forms, form{rule: ruleHex, text: digits}, form{rule: ruleHex, text: strings.ToUpper(digits)})
}

// base64At returns the characters that are certain in the base64 of a longer text that contains the value skip bytes
// after a multiple of three. It returns both alphabets where they differ.
func base64At(value string, skip int) []string {
	encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", skip) + value))
	first, last := (8*skip+5)/6, 8*(skip+len(value))/6
	std := encoded[first:last]
	if web := strings.NewReplacer("+", "-", "/", "_").Replace(std); web != std {
		return []string{std, web}
	}
	return []string{std}
}

// escapes returns the common escaped spellings that differ from the value.
func escapes(value string) []string {
	percent := func(format string) string {
		var b strings.Builder
		for _, c := range []byte(value) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
	var units strings.Builder
	for _, c := range value {
		fmt.Fprintf(&units, `\u%04x`, c)
	}
	list := []string{percent("%%%02x"), percent("%%%02X"), percent(`\x%02x`), units.String(), strings.ToUpper(units.String())}
	for _, escaped := range []string{url.QueryEscape(value), url.PathEscape(value)} {
		list = append(list, escaped, lowerEscapes(escaped))
	}
	if quoted, err := json.Marshal(value); err == nil {
		inner := string(quoted[1 : len(quoted)-1])
		list = append(list, inner, strings.ReplaceAll(inner, "/", `\/`))
	}
	inner := strconv.Quote(value)
	list = append(list, inner[1:len(inner)-1], strings.ReplaceAll(value, "/", `\/`), strings.Trim(strconv.QuoteToASCII(value), `"`))
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == value || len(s) < short })
}

// lowerEscapes turns %2D into %2d.
func lowerEscapes(escaped string) string {
	b := []byte(escaped)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

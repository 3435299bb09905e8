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

// Rules of values that the process holds. They are the guarantee: any of them stops a push.
const (
	rulePlain   = "held-value"
	ruleSplit   = "held-value:split"
	ruleEscaped = "held-value:escaped"
	ruleBase64  = "held-value:base64"
	ruleHex     = "held-value:hex"
	ruleDecimal = "held-value:decimal"
	ruleReverse = "held-value:reversed"
	rulePart    = "held-value:part"
)

// form is one way in which a value may stand in a text.
type form struct {
	rule  string
	text  string
	value string
	// exact forms are looked for as they are, because they are short or because their signs are what makes them.
	exact bool
	// literal forms are not looked for in pieces.
	literal bool
}

// formsOf lists the ways in which a value is looked for. Escaped ones are few here: the search reads escapes by itself where
// the value has enough letters and digits.
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
	for skip := range 3 {
		for _, text := range base64At(value, skip) {
			forms = append(forms, form{rule: ruleBase64, text: text})
		}
	}
	digits := hex.EncodeToString([]byte(value))
	forms = append(forms, form{rule: ruleHex, text: digits}, form{rule: ruleHex, text: strings.ToUpper(digits)},
		form{rule: ruleDecimal, text: decimal(value)})
	if reversed := reverse(value); len(squeeze(nil, []byte(value))) >= weak && reversed != value {
		forms = append(forms, form{rule: ruleReverse, text: reversed})
	}
	return forms
}

// base64At gives what the base64 of a longer text holds for certain when the value stands in it, skip bytes after a
// multiple of three. Both alphabets are given where they differ.
func base64At(value string, skip int) []string {
	encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("\x00", skip) + value))
	first, last := (8*skip+5)/6, 8*(skip+len(value))/6
	std := encoded[first:last]
	if web := strings.NewReplacer("+", "-", "/", "_").Replace(std); web != std {
		return []string{std, web}
	}
	return []string{std}
}

// escapes gives the usual escaped spellings that differ from the value.
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

// lowerEscapes writes %2D as %2d.
func lowerEscapes(escaped string) string {
	b := []byte(escaped)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

func decimal(value string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		b.WriteString(strconv.Itoa(int(c)))
	}
	return b.String()
}

func reverse(value string) string {
	b := []byte(value)
	slices.Reverse(b)
	return string(b)
}

const (
	partLetters = 12 // letters and digits of a pattern for a part of a value
	partStep    = 6  // from one pattern to the next; so any 17 in a row are found
	partLeast   = 24 // that a value has before parts of it are looked for
)

// partsOf gives where in a value's letters and digits there are parts that prove it: half of a key is half of the way to it,
// and text is cut off anywhere. What does not look random may stand elsewhere for good reasons. So may the beginning of a
// token, of a JWT and of a key in PEM, which all of their kind share.
func partsOf(value, letters string) (list []int) {
	if len(letters) < partLeast || 4*changes(letters) < len(letters) || strings.HasPrefix(value, "-----BEGIN") {
		return nil
	}
	prefix := value[:strings.LastIndexAny(value[:16], "-_.")+1]
	if strings.HasPrefix(value, "eyJ") {
		prefix = value[:strings.LastIndexByte(value, '.')+1]
	}
	for at := len(squeeze(nil, []byte(prefix))); at+partLetters <= len(letters); at += partStep {
		if changes(letters[at:at+partLetters]) >= 2 {
			list = append(list, at)
		}
	}
	return list
}

// changes counts how often small letters, capitals and digits take turns: hardly ever in words, at every other sign in what is
// random.
func changes(letters string) (n int) {
	kind := func(c byte) byte {
		if c <= '9' {
			return '0'
		}
		return c & 0x20
	}
	for i := 1; i < len(letters); i++ {
		if kind(letters[i]) != kind(letters[i-1]) {
			n++
		}
	}
	return n
}

package redact

import (
	"encoding/base32"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// recoded returns the value reversed, in ROT13, and in other alphabets. Words spelled in other alphabets occur in
// ordinary text, so only random-looking values are searched for there.
func recoded(value string) (forms []form) {
	letters := string(squeeze(nil, []byte(value)))
	add := func(rule, text string) {
		if text != value {
			forms = append(forms, form{rule: rule, text: text})
		}
	}
	if len(letters) < enoughLetters {
		return nil
	}
	add(ruleReverse, reverse(value))
	add(ruleRot13, rot13(value))
	if lower := strings.ToLower(letters); 8*changes(lower) >= len(lower) {
		add(ruleCase, strings.ToLower(value))
		add(ruleCase, strings.ToUpper(value))
		add(ruleCase, strings.Map(swapCase, value))
	}
	return forms
}

// twice returns encodings of encodings: base64, hex, reversed and ROT13.
func twice(once []form) (forms []form) {
	for _, f := range once {
		if len(f.text) < short {
			continue
		}
		inner := []string{reverse(f.text), rot13(f.text), hex.EncodeToString([]byte(f.text))}
		for skip := range 3 {
			inner = append(inner, base64At(f.text, skip)...)
		}
		for _, text := range inner {
			forms = append(forms, form{rule: ruleTwice, text: text, spread: true})
		}
	}
	return forms
}

// base32At returns the characters that are certain in the base32 of a longer text that contains the value, at any
// offset, in both alphabets and cases.
func base32At(value string) (forms []form) {
	for _, alphabet := range []*base32.Encoding{base32.StdEncoding, base32.HexEncoding} {
		for skip := range 5 {
			encoded := alphabet.WithPadding(base32.NoPadding).EncodeToString([]byte(strings.Repeat("\x00", skip) + value))
			text := encoded[(8*skip+4)/5 : 8*(skip+len(value))/5]
			forms = append(forms, form{rule: ruleBase32, text: text}, form{rule: ruleBase32, text: strings.ToLower(text)})
		}
	}
	return forms
}

// alphabets85 are those of Adobe, RFC 1924 (git, Python) and ZeroMQ.
var alphabets85 = func() []string {
	var adobe strings.Builder
	for c := byte('!'); c <= 'u'; c++ {
		adobe.WriteByte(c)
	}
	const alnum = "0123456789" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "abcdefghijklmnopqrstuvwxyz"
	return []string{adobe.String(), alnum + "!#$%&()*+-;<=>?@^_`{|}~", alnum[:10] + alnum[36:] + alnum[10:36] + ".-:+=^!/*?&<>()[]{}@%$#"}
}()

// ascii85At returns the complete groups of four bytes of a value, each encoded as five of 85 characters, at any offset.
// These include punctuation, so the form is matched literally.
func ascii85At(value string) (forms []form) {
	for _, alphabet := range alphabets85 {
		for skip := range 4 {
			var text []byte
			for group := range slices.Chunk([]byte(value[skip:]), 4) {
				if len(group) < 4 {
					break
				}
				n := uint32(group[0])<<24 | uint32(group[1])<<16 | uint32(group[2])<<8 | uint32(group[3])
				var signs [5]byte
				for i := 4; i >= 0; i-- {
					signs[i], n = alphabet[n%85], n/85
				}
				text = append(text, signs[:]...)
			}
			if len(text) >= least85 {
				forms = append(forms, form{rule: ruleAscii85, text: string(text), exact: true, literal: true, spread: true})
			}
		}
	}
	return forms
}

// least85 is how many characters in a row prove a value: eight of its bytes.
const least85 = 10

func rot13(value string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return 'a' + (c-'a'+13)%26
		case c >= 'A' && c <= 'Z':
			return 'A' + (c-'A'+13)%26
		}
		return c
	}, value)
}

func swapCase(c rune) rune {
	if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		return c ^ 0x20
	}
	return c
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

package redact_test

import (
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// random returns n characters of an alphabet, the same in every run. Tokens in these tests are generated, so that no
// scanner mistakes the source for a leak.
func random(seed uint64, n int, alphabet string) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(b)
}

const (
	digits = "0123456789"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	base62 = digits + upper + lower
	hexes  = "0123456789abcdef"
)

// held are values that a worker might hold.
func held() []string {
	return []string{
		"sk-ant-" + "api03-" + random(1, 60, base62+"-_") + "AA",
		"gh" + "p_" + random(2, 36, base62),
		"p4$$/w0rd+with \"signs\" & " + random(3, 12, base62+"%/+="),
	}
}

// encoded returns a value in every promised form, by name.
func encoded(v string) map[string]string {
	all := map[string]string{
		"plain": v, "in code": `key := "` + v + `"`,
		"hex": hex.EncodeToString([]byte(v)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(v))),
		"query": url.QueryEscape(v), "path": url.PathEscape(v), "reversed": backwards(v),
		"percent": each(v, "%%%02x", ""), "PERCENT": each(v, "%%%02X", ""), "percent twice": strings.ReplaceAll(each(v, "%%%02X", ""), "%", "%25"),
		"x": each(v, `\x%02x`, ""), "unicode": each(v, `\u%04x`, ""), "UNICODE": each(v, `\u%04X`, ""), "octal": each(v, `\%03o`, ""),
		"references": each(v, "&#%d;", ""), "hex references": each(v, "&#x%x;", ""),
		"json": quoted(v), "json in json": quoted(quoted(v)), "slashes": strings.ReplaceAll(quoted(v), "/", `\/`),
		"bytes in Go": "[]byte{" + each(v, "0x%02x", ", ") + "}", "bytes in decimal": "[" + each(v, "%d", ", ") + "]", "hex with colons": each(v, "%02x", ":"),
	}
	for _, sep := range []string{" ", "\n", ", ", "-", "\u200b", "\u2060", `", "`, `" + "`, "\" +\n\t\"", "' '", "\\\n", "\\n", "\t", "|", `\", \"`} {
		for _, size := range []int{1, 7, len(v)/2 + 1} {
			all[fmt.Sprintf("pieces of %d with %q", size, sep)] = pieces(v, size, sep)
		}
	}
	around := "before\x00\x01\xff" + random(9, 100, base62)
	for skip := range 3 {
		for name, enc := range map[string]*base64.Encoding{"std": base64.StdEncoding, "raw std": base64.RawStdEncoding, "url": base64.URLEncoding,
			"raw url": base64.RawURLEncoding} {
			name = fmt.Sprintf("%s base64 after %d", name, skip)
			blob := enc.EncodeToString([]byte(around[:99+skip] + v + around))
			all[name] = enc.EncodeToString([]byte(around[:skip] + v))
			all[name+", in a blob"] = blob
			all[name+", wrapped"] = pieces(blob, 76, "\n")
			all[name+", wrapped in json"] = quoted(pieces(blob, 76, "\n"))
			all[name+", one sign a line"] = pieces(all[name], 1, "\r\n")
			all[name+", twice"] = enc.EncodeToString([]byte("x: " + all[name] + "\n"))
			all[name+", twice and wrapped twice"] = pieces(enc.EncodeToString([]byte(all[name+", wrapped"])), 76, "\n")
			all[name+", in hex"] = hex.EncodeToString([]byte(all[name]))
			all[name+", backwards"] = backwards(blob)
			all[name+", by rot13"] = turn13(blob)
		}
	}
	for skip := range 5 {
		for name, enc := range map[string]*base32.Encoding{"base32": base32.StdEncoding, "base32hex": base32.HexEncoding} {
			blob := enc.EncodeToString([]byte(around[:100+skip] + v + around))
			name = fmt.Sprintf("%s after %d", name, skip)
			all[name], all[name+", lower"] = enc.EncodeToString([]byte(around[:skip]+v)), strings.ToLower(blob)
			all[name+", wrapped"] = pieces(blob, 64, "\n")
		}
		for name, blob := range in85(around[:100+skip] + v + around) {
			name = fmt.Sprintf("%s after %d", name, skip)
			all[name], all[name+", wrapped"] = blob, pieces(blob, 80, "\n")
		}
	}
	all["base64 of hex"] = base64.StdEncoding.EncodeToString([]byte("{" + all["hex"] + "}"))
	all["rot13"], all["hex backwards"] = turn13(v), backwards(all["hex"])
	if !strings.Contains(v, "w0rd") { // words in other alphabets occur in ordinary text
		all["upper"], all["lower"] = strings.ToUpper(v), strings.ToLower(v)
		all["swapped"] = strings.Map(func(c rune) rune {
			if upper := unicode.ToUpper(c); upper != c {
				return upper
			}
			return unicode.ToLower(c)
		}, v)
		all["upper, in pieces"] = pieces(all["upper"], 5, `", "`)
	}
	return all
}

// in85 encodes a text in the base85 variants of Adobe, RFC 1924 and ZeroMQ.
func in85(text string) map[string]string {
	room := make([]byte, ascii85.MaxEncodedLen(len(text)))
	adobe := string(room[:ascii85.Encode(room, []byte(text))])
	all := map[string]string{"ascii85": adobe}
	for name, signs := range map[string]string{"base85": digits + upper + lower + "!#$%&()*+-;<=>?@^_`{|}~",
		"z85": digits + lower + upper + ".-:+=^!/*?&<>()[]{}@%$#"} {
		all[name] = strings.Map(func(c rune) rune { return rune(signs[c-'!']) }, adobe)
	}
	return all
}

func turn13(v string) string {
	const from, to = lower + upper, "nopqrstuvwxyzabcdefghijklm" + "NOPQRSTUVWXYZABCDEFGHIJKLM"
	return strings.Map(func(c rune) rune {
		if at := strings.IndexRune(from, c); at >= 0 {
			return rune(to[at])
		}
		return c
	}, v)
}

// survives reports whether a text still contains a value in some form. It reverses encoded approximately, in another way
// than the package does.
func survives(text, v string) bool {
	signs := func(s string) string {
		return strings.Map(func(c rune) rune {
			if strings.ContainsRune(base62, c) {
				return c
			}
			return -1
		}, s)
	}
	for _, form := range []string{v, backwards(v), turn13(v), base32.HexEncoding.EncodeToString([]byte(v))[:8*len(v)/5],
		base32.StdEncoding.EncodeToString([]byte(v))[:8*len(v)/5], hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v)))} {
		if strings.Contains(signs(text), signs(form)) {
			return true
		}
	}
	for skip := range 3 {
		inner := signs(base64.RawStdEncoding.EncodeToString([]byte("\xff\xff"[:skip] + v)))
		if strings.Contains(signs(text), inner[skip*2:len(inner)-2]) {
			return true
		}
		if twice := base64.StdEncoding.EncodeToString([]byte(inner[skip*2 : len(inner)-2])); strings.Contains(signs(text), twice[:len(twice)-4]) {
			return true
		}
	}
	for skip := range 4 {
		for _, form := range in85(v[skip : skip+(len(v)-skip)/4*4]) {
			if strings.Contains(strings.ReplaceAll(text, "\n", ""), form) {
				return true
			}
		}
	}
	return false
}

func quoted(v string) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func backwards(v string) string {
	b := []byte(v)
	slices.Reverse(b)
	return string(b)
}

func each(v, format, sep string) string {
	var parts []string
	for _, c := range []byte(v) {
		parts = append(parts, fmt.Sprintf(format, c))
	}
	return strings.Join(parts, sep)
}

func pieces(v string, size int, sep string) string {
	var parts []string
	for part := range slices.Chunk([]byte(v), size) {
		parts = append(parts, string(part))
	}
	return strings.Join(parts, sep)
}

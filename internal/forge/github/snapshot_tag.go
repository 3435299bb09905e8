package github

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// packTag shortens an ETag, so that those of many pages fit into a stamp.
func packTag(tag string) string {
	kind, digits := "s", strings.Trim(tag, `"`)
	if strings.HasPrefix(tag, "W/") {
		kind, digits = "w", strings.Trim(tag[2:], `"`)
	}
	raw, err := hex.DecodeString(digits)
	packed := kind + base64.RawURLEncoding.EncodeToString(raw)
	if err != nil || unpackTag(packed) != tag {
		return "=" + tag
	}
	return packed
}

// unpackTag reverts packTag. It returns "" for what can't be a tag.
func unpackTag(text string) string {
	if text == "" || len(text) > maxETag || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	raw, err := base64.RawURLEncoding.DecodeString(text[1:])
	switch {
	case text[0] == '=':
		return text[1:]
	case err != nil:
		return ""
	case text[0] == 'w':
		return `W/"` + hex.EncodeToString(raw) + `"`
	case text[0] == 's':
		return `"` + hex.EncodeToString(raw) + `"`
	}
	return ""
}

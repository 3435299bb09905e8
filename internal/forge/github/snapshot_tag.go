package github

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

const sumLength = 8 // characters, 48 bits: a stamp has one for each page

// bodySum identifies the content of a page where its ETag doesn't: GitHub's tags are others for each token, and the token of an app is another
// every hour and in each worker.
func bodySum(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:])[:sumLength]
}

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

// read returns the pages of a stamp.
func (s stamp) read() ([]tagged, error) {
	var tags []tagged
	for i, text := range s.Tags {
		head, packed, ok := strings.Cut(text, ":")
		if !ok || len(head) < 2 {
			return nil, errStamp
		}
		page, _, ofRun := strings.Cut(head[1:], ".")
		k := kind(head[:1])
		if ofRun {
			k += kind(head[1+len(page):])
		}
		n, err := strconv.Atoi(page)
		t := tagged{k, n, unpackTag(packed), ""}
		if err != nil || n < 1 || t.tag == "" || !k.known() {
			return nil, errStamp
		}
		if len(s.Sums) == sumLength*len(s.Tags) { // not in a stamp of an earlier release
			t.sum = s.Sums[sumLength*i:][:sumLength]
		}
		tags = append(tags, t)
	}
	return tags, nil
}

var errStamp = errors.New("a stamp that can't be read")

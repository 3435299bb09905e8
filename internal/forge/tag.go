package forge

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/neutral"
)

// MaxBody is the longest body that Compose and Tagged write, in bytes. GitHub accepts 65 536 characters.
const MaxBody = 60_000

var (
	tagForm = regexp.MustCompile(`(?m)^<!-- longshift:task=([^\s<>]+) fence=(\d{1,9}) -->[ \t\r]*$`)
	// anyTag also matches near misses, so that a body contains nothing of the kind before Tagged adds the mark.
	anyTag = regexp.MustCompile(`(?i)<!-*\s*longshift:[^>\n]*>?`)
)

// Tag returns the hidden mark by which a task finds its pull request again: an HTML comment, which the page does not show.
func Tag(taskID string, fence int) string {
	return "<!-- longshift:task=" + url.PathEscape(taskID) + " fence=" + strconv.Itoa(fence) + " -->"
}

// FindTag reads the hidden mark of a body. Only the first mark on a line of its own counts: Tagged leaves no other mark in its text,
// while anybody may have added text below it.
func FindTag(body string) (taskID string, fence int, ok bool) {
	m := tagForm.FindStringSubmatch(body)
	if m == nil {
		return "", 0, false
	}
	id, err := url.PathUnescape(m[1])
	if err != nil {
		return "", 0, false
	}
	fence, err = strconv.Atoi(m[2])
	return id, fence, err == nil
}

// Tagged returns the body with the hidden mark below it. It removes other marks from the text and cuts it to fit MaxBody.
func Tagged(body, taskID string, fence int) string {
	tag := Tag(taskID, fence)
	// The replacement must not complete another mark, so it is neither empty nor blank.
	body = strings.TrimSpace(anyTag.ReplaceAllString(neutral.Clean(body), "…"))
	if room := MaxBody - len(tag) - 2; len(body) > room {
		body = cutBytes(body, room)
	}
	if body == "" {
		return tag
	}
	return body + "\n\n" + tag
}

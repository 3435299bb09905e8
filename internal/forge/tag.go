package forge

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/neutral"
)

// MaxBody is the longest body that Compose and Tagged write, in bytes. GitHub takes 65 536 characters.
const MaxBody = 60_000

var (
	tagForm = regexp.MustCompile(`(?m)^<!-- longshift:task=([^\s<>]+) fence=(\d{1,9}) -->[ \t\r]*$`)
	// anyTag also finds what is nearly a mark, so that nothing of the kind is left in a body before ours is put in.
	anyTag = regexp.MustCompile(`(?i)<!-*\s*longshift:[^>\n]*>?`)
)

// Tag is the hidden mark by which a task finds its pull request again: an HTML comment that no reader sees.
func Tag(taskID string, fence int) string {
	return "<!-- longshift:task=" + url.PathEscape(taskID) + " fence=" + strconv.Itoa(fence) + " -->"
}

// FindTag reads the hidden mark of a body. It counts only on a line of its own, and the first one counts: Tagged leaves no
// other in our text, while what stands below may have been added by anybody.
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

// Tagged is the body with the hidden mark below it. Marks that were in the text are taken out; the text is cut to fit MaxBody.
func Tagged(body, taskID string, fence int) string {
	tag := Tag(taskID, fence)
	// The stand-in must not be able to complete another mark, so it is neither empty nor blank.
	body = strings.TrimSpace(anyTag.ReplaceAllString(neutral.Clean(body), "…"))
	if room := MaxBody - len(tag) - 2; len(body) > room {
		body = cutBytes(body, room)
	}
	if body == "" {
		return tag
	}
	return body + "\n\n" + tag
}

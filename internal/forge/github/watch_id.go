package github

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The ID of an event consists of what GitHub itself says about it, so that a webhook, its redelivery and a poll agree. It does not use
// what the sender could choose, such as the header with the number of the delivery, which no signature covers.

var notInID = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// eventID replaces the characters that an event's ID may not contain.
func eventID(kind, owner, name string, parts ...any) string {
	text := kind + "-" + owner + "." + name
	for _, p := range parts {
		part := notInID.ReplaceAllString(fmt.Sprint(p), "_")
		text += "-" + part[:min(len(part), 80)]
	}
	return strings.ToLower(text)
}

// wantedEventID identifies the moment at which the label or the assignment was set.
func wantedEventID(owner, name string, number int, what, by string, at time.Time) string {
	return eventID("issue", owner, name, number, what, by, at.Unix())
}

// commentEventID identifies a comment.
func commentEventID(id int64) string { return "comment-" + strconv.FormatInt(id, 10) }

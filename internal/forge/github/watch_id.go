package github

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// An event's ID is made of what GitHub itself says about it, so that a webhook, its redelivery and a poll agree. A name that the
// sender could choose, such as the header with the delivery's number, which no signature covers, has no part in it.

var notInID = regexp.MustCompile(`[^A-Za-z0-9._-]`)

// eventID keeps to the letters that an event's ID may have.
func eventID(kind, owner, name string, parts ...any) string {
	text := kind + "-" + owner + "." + name
	for _, p := range parts {
		part := notInID.ReplaceAllString(fmt.Sprint(p), "_")
		text += "-" + part[:min(len(part), 80)]
	}
	return strings.ToLower(text)
}

// wantedEventID names the moment in which an issue became ours: what is labeled or assigned, by the label or the account.
func wantedEventID(owner, name string, number int, what, by string, at time.Time) string {
	return eventID("issue", owner, name, number, what, by, at.Unix())
}

// commentEventID names a comment.
func commentEventID(id int64) string { return "comment-" + strconv.FormatInt(id, 10) }

package forge

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// maxAnswer is the longest text of a reply, in bytes.
const maxAnswer = 8_000

var (
	answerMark = regexp.MustCompile(`(?m)^<!-- longshift:answer=([^\s<>]+) -->[ \t\r]*$`)
	itemMark   = regexp.MustCompile(`(?m)^<!-- longshift:item=([^\s<>]+) last=(\d{1,18}) -->[ \t\r]*$`)
	anyMark    = regexp.MustCompile(`(?i)<!-*\s*longshift:`)
)

// CommentText returns the text of a comment: untrusted Markdown, neutralised and bounded.
func CommentText(text string) string { return prose(text, maxAnswer) }

// CommentLine is untrusted text on one line of a comment, neutralised, of at most n characters.
func CommentLine(text string, n int) string { return phrase(text, n) }

// HasMark tells whether a text contains any of the hidden marks.
func HasMark(body string) bool { return anyMark.MatchString(body) }

// AnswerKeys returns the keys of the replies in a comment that Longshift has written.
func AnswerKeys(body string) []string {
	var keys []string
	for _, m := range answerMark.FindAllStringSubmatch(body, -1) {
		if key, err := url.PathUnescape(m[1]); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// AnsweredItems returns the items that a comment of Longshift answers: the item's key, and the id of the last comment that was
// answered.
func AnsweredItems(body string) map[string]int64 {
	items := map[string]int64{}
	for _, m := range itemMark.FindAllStringSubmatch(body, -1) {
		key, err := url.PathUnescape(m[1])
		last, err2 := strconv.ParseInt(m[2], 10, 64)
		if err == nil && err2 == nil {
			items[key] = max(items[key], last)
		}
	}
	return items
}

// marks are the hidden lines below a reply. The first one identifies the reply, so that it is not written twice; the second one says
// which item it answers.
func (r Reply) marks() string {
	return "<!-- longshift:answer=" + inMark(r.Key) + " -->\n" +
		"<!-- longshift:item=" + inMark(r.Item.Key) + " last=" + strconv.FormatInt(r.Item.Last, 10) + " -->"
}

// inMark escapes text for an HTML comment, which may not contain "--" everywhere.
func inMark(text string) string {
	return strings.ReplaceAll(url.PathEscape(text), "--", "-%2D")
}

// InThread returns the reply for a review thread, with its marks.
func (r Reply) InThread() string { return signed(r.neutralised(), r) }

// InConversation returns the reply for the conversation: it quotes a line of the item and links to it.
func (r Reply) InConversation() string {
	quote := ""
	for line := range strings.Lines(r.Item.Text) {
		if quote = phrase(line, 160); quote != "" {
			break
		}
	}
	head := ""
	if quote != "" {
		head = "> " + quote + "\n\n"
	}
	if link := webLink(r.Item.URL); link != "" {
		head += "On [what was written there](<" + link + ">):\n\n"
	}
	return signed(head+r.neutralised(), r)
}

// ChecksInConversation returns one reply for all checks.
func ChecksInConversation(replies []Reply) string {
	rows := make([]string, len(replies))
	for i, r := range replies {
		rows[i] = "- " + span(strings.TrimPrefix(r.Item.Key, "check:"), 100) + ": " + phrase(r.Text, 600)
	}
	return signed("On the checks that failed:\n\n"+strings.Join(rows, "\n"), replies...)
}

// neutralised returns the neutralised text.
func (r Reply) neutralised() string {
	text := prose(r.Text, maxAnswer)
	if strings.TrimSpace(text) == "" {
		return "(no text)"
	}
	return text
}

// signed appends the marks to a text, after removing anything in it that could be taken for a mark.
func signed(text string, replies ...Reply) string {
	marks := "\n"
	for _, r := range replies {
		marks += "\n" + r.marks()
	}
	return cutBytes(strings.TrimSpace(anyTag.ReplaceAllString(text, "…")), MaxBody-len(marks)) + marks
}

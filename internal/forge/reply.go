package forge

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// maxAnswer is the longest text of an answer, in bytes.
const maxAnswer = 8_000

var (
	answerMark = regexp.MustCompile(`(?m)^<!-- longshift:answer=([^\s<>]+) -->[ \t\r]*$`)
	itemMark   = regexp.MustCompile(`(?m)^<!-- longshift:item=([^\s<>]+) last=(\d{1,18}) -->[ \t\r]*$`)
	anyMark    = regexp.MustCompile(`(?i)<!-*\s*longshift:`)
)

// HasMark tells whether a text holds a hidden mark of ours, whatever it says.
func HasMark(body string) bool { return anyMark.MatchString(body) }

// AnswerKeys reads the keys of the answers in a comment of ours.
func AnswerKeys(body string) []string {
	var keys []string
	for _, m := range answerMark.FindAllStringSubmatch(body, -1) {
		if key, err := url.PathUnescape(m[1]); err == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// AnsweredItems reads from a comment of ours which items it answers: key to the id of the last comment that was answered.
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

// marks are the hidden lines below an answer: by the first it is found before it is written again, by the second the item that it
// answers is known to be done.
func (r Reply) marks() string {
	return "<!-- longshift:answer=" + inMark(r.Key) + " -->\n" +
		"<!-- longshift:item=" + inMark(r.Item.Key) + " last=" + strconv.FormatInt(r.Item.Last, 10) + " -->"
}

// inMark writes text so that it can stand in a comment of HTML, where "--" is not allowed everywhere.
func inMark(text string) string {
	return strings.ReplaceAll(url.PathEscape(text), "--", "-%2D")
}

// InThread is the answer as it stands in a thread, with its marks.
func (r Reply) InThread() string { return signed(r.said(), r) }

// InTalk is the answer as it stands in the conversation: it quotes a line of what it answers, and links there.
func (r Reply) InTalk() string {
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
	return signed(head+r.said(), r)
}

// ChecksInTalk is one answer for all checks.
func ChecksInTalk(replies []Reply) string {
	rows := make([]string, len(replies))
	for i, r := range replies {
		rows[i] = "- " + span(strings.TrimPrefix(r.Item.Key, "check:"), 100) + ": " + phrase(r.Text, 600)
	}
	return signed("On the checks that failed:\n\n"+strings.Join(rows, "\n"), replies...)
}

// said is the text, made harmless.
func (r Reply) said() string {
	text := prose(r.Text, maxAnswer)
	if strings.TrimSpace(text) == "" {
		return "(no text)"
	}
	return text
}

// signed puts the marks below a text. What could be taken for one in the text goes.
func signed(text string, replies ...Reply) string {
	marks := "\n"
	for _, r := range replies {
		marks += "\n" + r.marks()
	}
	return cutBytes(strings.TrimSpace(anyTag.ReplaceAllString(text, "…")), MaxBody-len(marks)) + marks
}

package command

import "strings"

// Cron with its second word. For rights, options and the audit log each is a verb of its own.
const (
	CronCreate = Cron + " create"
	CronList   = Cron + " list"
	CronDelete = Cron + " delete"
)

// IsCron reports whether a verb is about cron jobs.
func IsCron(verb string) bool { return verb == Cron || strings.HasPrefix(verb, Cron+" ") }

// cutCron moves the second word into the verb.
func (c Command) cutCron() Command {
	word, rest := cutWord(c.Text)
	switch verb := Cron + " " + strings.ToLower(word); verb {
	case CronCreate, CronList, CronDelete:
		c.Verb, c.Text = verb, rest
	}
	return c
}

// CutSchedule splits the schedule from the beginning of a text: a quoted text, a name such as @daily, or five words.
func CutSchedule(text string) (expression, rest string) {
	if inner, after, ok := strings.Cut(strings.TrimPrefix(text, "`"), "`"); ok && strings.HasPrefix(text, "`") {
		return inner, strings.TrimSpace(after)
	}
	words := split(text)
	switch {
	case len(words) == 0:
		return "", ""
	case words[0].quoted || strings.HasPrefix(words[0].text, "@"):
		return withHyphens(words[0].text), textFrom(text, words, 1)
	}
	var five []string
	for _, w := range words[:min(len(words), 5)] {
		five = append(five, w.text)
	}
	return withHyphens(strings.Join(five, " ")), textFrom(text, words, 5)
}

// textFrom is the text from its nth word.
func textFrom(text string, words []word, n int) string {
	if n >= len(words) {
		return ""
	}
	return text[words[n].start:]
}

// withHyphens undoes the dashes that phones make of hyphens.
func withHyphens(expression string) string {
	return strings.NewReplacer("–", "-", "—", "-", "‑", "-").Replace(expression)
}

package task

import "strings"

var markup = strings.NewReplacer("\n", " ", "\r", " ", `\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "|", `\|`, "<", `\<`, "[", `\[`, "`", "\\`", "$", `\$`)

// Literally keeps a model's or a person's words from becoming markup on a page of Temporal Web, where dollars make formulas. The
// result is one line.
func Literally(words string) string { return markup.Replace(words) }

// Fenced puts words into a block of code in Markdown, which they can't leave.
func Fenced(words string) string {
	fence := "```"
	for strings.Contains(words, fence) {
		fence += "`"
	}
	return fence + "\n" + words + "\n" + fence + "\n"
}

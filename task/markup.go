package task

import "strings"

var markup = strings.NewReplacer("\n", " ", "\r", " ", `\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "|", `\|`,
	"<", `\<`, "[", `\[`, "`", "\\`", "$", `\$`)

// Literally escapes text by a model or a person for a page of Temporal Web, where even dollar signs are markup for formulas. The result
// is one line.
func Literally(words string) string { return markup.Replace(words) }

// Fenced puts text into a Markdown code block that it can't close.
func Fenced(words string) string {
	fence := "```"
	for strings.Contains(words, fence) {
		fence += "`"
	}
	return fence + "\n" + words + "\n" + fence + "\n"
}

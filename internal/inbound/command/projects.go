package command

import "strings"

// The words that may follow the verb Projects.
const (
	ProjectsList   = "list"
	ProjectsInfo   = "info"
	ProjectsSwitch = "switch"
)

// Project splits the text after the verb Projects into its first word, in lower case, and the name of a project.
func (c Command) Project() (sub, name string) {
	sub, name = cutWord(c.Text)
	return strings.ToLower(sub), unquoted(name)
}

// NoProject returns the value of the option --none, and whether it was given.
func (c Command) NoProject() (none, given bool) {
	value, given := c.Options[optNone]
	return value == "true", given
}

// isProjectSentence reports whether the words after the verb Projects are those of a sentence.
func (c Command) isProjectSentence() bool {
	sub, name := c.Project()
	switch sub {
	case "", ProjectsSwitch:
		return false
	case ProjectsList:
		return name != "" && !strings.HasPrefix(name, "-")
	case ProjectsInfo:
		return len(strings.Fields(name)) > 1
	}
	return true
}

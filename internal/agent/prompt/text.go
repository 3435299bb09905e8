package prompt

import (
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// Limits of the parts of a prompt, in bytes.
const (
	maxNotes    = 32 << 10 // one file of the project
	maxFenced   = 128 << 10
	maxTail     = 16 << 10
	maxProgress = 24 << 10
	maxEntry    = 2 << 10
)

var functions = template.FuncMap{"fence": fence, "person": person, "log": progressLog, "tail": tail, "code": code, "images": images,
	"findings": findings, "lines": func(list []string) string { return strings.Join(list, "\n") }}

// fence encloses untrusted text in fences that it can't close, so that it stays recognizable as data.
func fence(text string) string {
	text = strings.Trim(cut(text, maxFenced), "\n")
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	mark := strings.Repeat("`", longest+1)
	return mark + "\n" + text + "\n" + mark
}

// code formats a command for use in a sentence. Of several lines it shows the first.
func code(command string) string {
	line, more, _ := strings.Cut(strings.TrimSpace(command), "\n")
	mark := "`"
	for strings.Contains(line, mark) {
		mark += "`"
	}
	if len(mark) > 1 {
		line = " " + line + " "
	}
	if strings.TrimSpace(more) != "" {
		line += " …"
	}
	return mark + line + mark
}

// person describes a person on one short line.
func person(p *task.Person) string {
	if p == nil || p.Name == "" {
		return "a person"
	}
	name := excerpt.Line(p.Name, 60)
	if p.Via != "" {
		name += " (" + excerpt.Line(p.Via, 30) + ")"
	}
	return name
}

// progressLog writes the entries, one paragraph each. It keeps the newest ones of a long log.
func progressLog(all []task.Entry) string {
	var lines []string
	size := 0
	for i := len(all) - 1; i >= 0; i-- {
		e := all[i]
		line := e.Time.UTC().Format("2006-01-02 15:04") + " " + e.Kind + ": " + cut(strings.TrimSpace(e.Text), maxEntry)
		if size += len(line); size > maxProgress {
			lines = append(lines, "["+strconv.Itoa(i+1)+" older entries cut]")
			break
		}
		lines = append(lines, line)
	}
	var b strings.Builder
	for i := len(lines) - 1; i >= 0; i-- {
		b.WriteString(lines[i] + "\n")
	}
	return b.String()
}

// images says which image is which.
func images(all []task.Image) string {
	var names []string
	for i, image := range all {
		names = append(names, strconv.Itoa(i+1)+" is "+code(excerpt.Line(image.Name, 100)))
	}
	return strings.Join(names, ", ")
}

func findings(all []task.Finding) string {
	var lines []string
	for _, f := range all {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

func tail(text string) string {
	if len(text) <= maxTail {
		return text
	}
	at := len(text) - maxTail
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return "[cut: " + strconv.Itoa(at) + " bytes before]\n" + text[at:]
}

// cut keeps the start of a text and marks the cut.
func cut(text string, n int) string {
	short := excerpt.Cut(text, n)
	if len(short) == len(text) {
		return text
	}
	return short + "\n[cut: " + strconv.Itoa(len(text)-len(short)) + " more bytes]"
}

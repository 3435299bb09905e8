package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/audit"
)

// commandRow is a record as it is shown. Its texts come from agents.
type commandRow audit.Record

// MarshalJSON escapes what could steer a terminal, beyond what JSON itself must.
func (r commandRow) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(audit.Record(r)); err != nil {
		return nil, err
	}
	var out []byte
	for _, c := range strings.TrimSuffix(b.String(), "\n") {
		if strconv.IsPrint(c) {
			out = utf8.AppendRune(out, c)
			continue
		}
		for _, unit := range utf16.Encode([]rune{c}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out, nil
}

func commandTable(rows []commandRow, tasks bool) string {
	head := []string{"TIME (UTC)", "TASK", "SESSION", "ROLE", "WHAT", "EXIT", "TOOK", "RULE", "COMMAND"}
	cells := make([][]string, 0, len(rows))
	for _, r := range rows {
		cells = append(cells, []string{r.Time.UTC().Format(time.DateTime), visible(r.Task), visible(r.Session), visible(r.Role), r.what(), r.exit(), r.took(), visible(r.Rule), r.command()})
	}
	if !tasks { // it is the same in every row
		head = slices.Delete(head, 1, 2)
		for i := range cells {
			cells[i] = slices.Delete(cells[i], 1, 2)
		}
	}
	return table(head, cells)
}

// what is the decision, or that it was run.
func (r commandRow) what() string {
	switch {
	case r.Kind == audit.KindRun:
		return "run"
	case r.ApprovedBy != "":
		return string(r.Decision) + " by " + visible(r.ApprovedBy)
	}
	return visible(string(r.Decision))
}

func (r commandRow) exit() string {
	if r.ExitCode == nil {
		return "-"
	}
	return strconv.Itoa(*r.ExitCode)
}

// took keeps the milliseconds of short commands, unlike the times of tasks.
func (r commandRow) took() string {
	switch {
	case r.ExitCode == nil:
		return "-"
	case r.Duration < time.Second:
		return fmt.Sprintf("%dms", max(r.Duration, 0).Milliseconds())
	}
	return duration(r.Duration)
}

func (r commandRow) command() string {
	text := visible(r.Command)
	if r.Tool != "" && r.Command == "" {
		text = visible(r.Tool)
	}
	if r.Truncated {
		text += fmt.Sprintf(" … (cut at %d KiB)", audit.MaxCommand>>10)
	}
	return text
}

// visible shows every character that is not plain print by its escape: a person who judges a command must see them all.
func visible(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		i += n
	}
	return b.String()
}

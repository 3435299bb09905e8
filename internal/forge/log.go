package forge

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/neutral"
	"github.com/longshift/longshift/internal/plaintext"
)

const logCut = "(cut)"

var (
	logStamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?`)
	failing  = regexp.MustCompile(`(?i)^\s*(?:--- fail|fail\b|not ok\b|panic:|fatal|error[:\[ ]|e  +|traceback|npm err!)|` +
		`\berror(?::|\[)|assertion|exception\b`)
	// What differs from run to run of the same failure.
	pathForm = regexp.MustCompile(`(?:[A-Za-z]:)?(?:[\\/][\w.@+~-]+){2,}|\\\\[\w.@+~\\-]+`)
	hexForm  = regexp.MustCompile(`(?i)\b(?:0x)?[0-9a-f]*\d[0-9a-f]*(?:-[0-9a-f]+)*\b`)
	timeForm = regexp.MustCompile(`(?i)\d[\d.,:]*\s?(?:ns|µs|us|ms|s|sec|seconds?|m|min|minutes?|h)\b|` +
		`\d{4}-\d\d-\d\d(?:[T ]\d[\d:.]*)?(?:Z|[+-]\d\d:?\d\d)?`)
	number = regexp.MustCompile(`\d+`)
)

// LogTail returns the part of a log that says most about a failure, at most most bytes of whole lines: those around the first line that
// is marked as an error, or the end. It removes times at the start of lines, colours and invisible characters.
func LogTail(raw string, most int) string {
	lines := logLines(raw)
	at := firstError(lines)
	if at < 0 {
		at = len(lines) - 1
	}
	if i := slices.Index(lines[max(at, 0):], "Post job cleanup."); i > 0 {
		lines = lines[:at+i]
	}
	room := most - 2*(len(logCut)+1)
	from, to := at, at // lines[from:to] is returned
	take := func(i, least int) bool {
		if i < 0 || i >= len(lines) || room-len(lines[i])-1 < least {
			return false
		}
		room -= len(lines[i]) + 1
		return true
	}
	for to < len(lines) && to < at+3 && take(to, 0) { // first the error itself, then what precedes it, then what follows
		to++
	}
	if to == at { // the line alone does not fit
		if at < 0 {
			return ""
		}
		return strings.ToValidUTF8(lines[at][:max(0, min(room, len(lines[at])))], "")
	}
	for take(from-1, most/6) {
		from--
	}
	for take(to, 0) {
		to++
	}
	for take(from-1, 0) {
		from--
	}
	out := lines[from:to:to]
	if from > 0 {
		out = append([]string{logCut}, out...)
	}
	if to < len(lines) {
		out = append(out, logCut)
	}
	return strings.Join(out, "\n")
}

func logLines(raw string) []string {
	lines := strings.Split(strings.Trim(neutral.Clean(plaintext.Of(raw)), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(logStamp.ReplaceAllString(l, ""), " \t")
	}
	return lines
}

// firstError finds the line that shows a failure: one that the forge has marked, else one that looks like it, else none.
func firstError(lines []string) int {
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "##[error]") }); i >= 0 {
		return i
	}
	return slices.IndexFunc(lines, failing.MatchString)
}

// Sign identifies a failure by its check and output. It is the same for the same failure on another commit, machine or day: it ignores
// numbers, ids, times, the folders of paths, and the order of lines. Where lines are marked as errors, only those count.
func Sign(name string, texts ...string) string {
	var essence []string
	for _, text := range texts {
		var marked, all []string
		for _, l := range logLines(text) {
			flat := excerpt.OneLine(normal(l))
			if flat == "" || flat == logCut {
				continue
			}
			all = append(all, flat)
			if strings.HasPrefix(l, "##[error]") || failing.MatchString(l) {
				marked = append(marked, flat)
			}
		}
		if len(marked) > 0 {
			all = marked
		}
		essence = append(essence, all...)
	}
	slices.Sort(essence)
	sum := sha256.Sum256([]byte(name + "\x00" + strings.Join(slices.Compact(essence), "\n")))
	return hex.EncodeToString(sum[:12])
}

// normal returns a line without what differs from run to run.
func normal(l string) string {
	l = timeForm.ReplaceAllString(l, "0")
	l = pathForm.ReplaceAllStringFunc(l, func(p string) string { return p[strings.LastIndexAny(p, `\/`)+1:] })
	l = hexForm.ReplaceAllStringFunc(l, func(h string) string {
		if len(h) < 7 {
			return h
		}
		return "0"
	})
	return number.ReplaceAllString(l, "0")
}

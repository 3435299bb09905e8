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
	// How GitHub's runner ends any step whose command failed. It says nothing of the failure.
	stepEnd = regexp.MustCompile(`^##\[error\]Process completed with exit code -?\d+\.$`)
	// How npm, yarn, just, bun and Gradle say that what they ran has failed. It says as little.
	runnerEnd = regexp.MustCompile("(?i)^(?:npm err(?:!|or)|error command failed with exit code|error: (?:recipe|script) .* with (?:exit )?code |" +
		"failure: build failed with an exception)")
)

const stepStart = "##[group]Run "

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

// firstError finds the line that shows a failure: one that the forge has marked, up to the end of the first failed step, else that end, else one
// that looks like a failure, else none.
func firstError(lines []string) int {
	end := slices.IndexFunc(lines, stepEnd.MatchString)
	before := lines
	if end >= 0 {
		before = lines[:end] // later steps did not make the job fail
	}
	if i := slices.IndexFunc(before, marked); i >= 0 {
		return i
	}
	if end >= 0 {
		return end
	}
	return slices.IndexFunc(lines, failing.MatchString)
}

// marked tells whether the forge has marked a line as an error of the work.
func marked(l string) bool { return strings.HasPrefix(l, "##[error]") && !stepEnd.MatchString(l) }

// failedStep returns the range of the lines of the first step whose command failed: all of them where the log does not tell.
func failedStep(lines []string) (from, to int) {
	to = slices.IndexFunc(lines, stepEnd.MatchString)
	if to < 0 {
		return 0, len(lines)
	}
	for from = to; from > 0 && !strings.HasPrefix(lines[from], stepStart); {
		from--
	}
	return from, to
}

// Sign identifies a failure by its check and output. It is the same for the same failure on another commit, machine or day: it ignores
// numbers, ids, times, the folders of paths, and the order of lines. Lines that are marked or look like errors count, and all of the failed
// step where it has none of them.
func Sign(name string, texts ...string) string {
	var essence []string
	for _, text := range texts {
		essence = append(essence, essenceOf(logLines(text))...)
	}
	slices.Sort(essence)
	sum := sha256.Sum256([]byte(name + "\x00" + strings.Join(slices.Compact(essence), "\n")))
	return hex.EncodeToString(sum[:12])
}

func essenceOf(lines []string) []string {
	var errors, step []string
	shown := false // by an error of the failed step
	from, to := failedStep(lines)
	for i, l := range lines {
		flat, within := excerpt.OneLine(normal(l)), from <= i && i < to
		switch {
		case flat == "" || flat == logCut:
		case marked(l) || failing.MatchString(l):
			errors, shown = append(errors, flat), shown || within && !runnerEnd.MatchString(l)
		case within:
			step = append(step, flat)
		}
	}
	if shown {
		return errors
	}
	return append(errors, step...)
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

package github

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

const maxNotes = 10 // annotations of a check

// mostPending is how long a check is waited for that has not ended.
const mostPending = 2 * time.Hour

// waiting is the status of a job that begins when a person approves its deployment.
const waiting = "waiting"

// checks counts the pending and passed checks and statuses of the head, and adds the failed ones. It ignores those that were cancelled
// or wait for a person, and our own, which say what Longshift knows already.
func (l *snapshot) checks(ctx context.Context) error {
	runs, err := l.checkRuns(ctx)
	if err != nil {
		return err
	}
	statuses, err := l.statuses(ctx)
	if err != nil {
		return err
	}
	used := map[string]int{}
	var passed, open []string
	for _, r := range runs {
		if own, err := l.ownCheckRun(ctx, r); err != nil {
			return err
		} else if own {
			continue
		}
		switch c := r.GetConclusion(); {
		case r.GetStatus() == waiting:
		case r.GetStatus() != "completed":
			l.pending(r.GetStartedAt().Time)
			open = append(open, r.GetName())
		case c == "success" || c == "neutral" || c == "skipped":
			l.Passed++
			if c == "success" {
				passed = append(passed, r.GetName())
			}
		case c == "failure" || c == "timed_out" || c == "startup_failure":
			l.found = append(l.found, finding{run: r, Item: forge.Item{
				Kind: forge.CheckItem, Key: checkKey(used, r.GetName()), URL: pageURL(r.GetHTMLURL()), Last: r.GetID(), At: r.GetCompletedAt().Time,
			}})
		}
	}
	for _, s := range statuses {
		switch s.GetState() {
		case "pending":
			l.pending(s.GetUpdatedAt().Time)
			open = append(open, s.GetContext())
		case "success":
			l.Passed++
			passed = append(passed, s.GetContext())
		case "failure", "error":
			text := forge.Clean(strings.TrimSpace(s.GetState()+"\n"+s.GetDescription()), maxText)
			l.found = append(l.found, finding{Item: forge.Item{
				Kind: forge.CheckItem, Key: checkKey(used, s.GetContext()), Text: text, Sign: forge.Sign(s.GetContext(), text),
				URL: pageURL(s.GetTargetURL()), Last: s.GetID(), At: s.GetUpdatedAt().Time,
			}})
		}
	}
	for _, name := range passed {
		if !slices.Contains(open, name) { // one of the same name may still fail
			l.PassedKeys = append(l.PassedKeys, checkKey(map[string]int{}, name))
		}
	}
	return nil
}

// pending counts a check that has not ended, unless it has had its time: some never end, such as the status of an agreement that nobody signs,
// and would hold back those that failed.
func (l *snapshot) pending(since time.Time) {
	until := since.Add(mostPending)
	if !since.IsZero() && !l.now().Before(until) {
		return
	}
	l.Pending++
	if !since.IsZero() && (l.until.IsZero() || until.Before(l.until)) {
		l.until = until
	}
}

// checkKey identifies a check. Two checks can have one name, and a name can look like another one with its number.
func checkKey(used map[string]int, name string) string {
	name = forge.CleanLine(name, maxName-10)
	key := name
	for used[key] > 0 {
		used[name]++
		key = name + "#" + strconv.Itoa(used[name])
	}
	used[key]++
	return "check:" + key
}

// detail adds summary and log of a failed check to its item.
func (l *snapshot) detail(ctx context.Context, f *finding) error {
	out := f.run.GetOutput()
	notes, err := l.annotations(ctx, f.run)
	if err != nil {
		return err
	}
	text := strings.Join([]string{
		f.run.GetConclusion() + ": " + out.GetTitle(), out.GetSummary(), out.GetText(), strings.Join(notes, "\n"),
	}, "\n\n")
	f.Text = forge.Clean(text, maxText)
	if f.run.GetApp().GetSlug() == "github-actions" {
		log, err := l.jobLog(ctx, job(f.run))
		if err != nil {
			return err
		}
		if f.Log = forge.LogTail(log, maxText); f.Log != "" {
			f.Sign = forge.Sign(f.run.GetName(), f.run.GetConclusion(), log)
			return nil
		}
	}
	f.Sign = forge.Sign(f.run.GetName(), forge.Clean(text, 16*maxText))
	return nil
}

// annotations returns the first annotations of a check.
func (l *snapshot) annotations(ctx context.Context, r *gh.CheckRun) ([]string, error) {
	if r.GetOutput().GetAnnotationsCount() == 0 {
		return nil, nil
	}
	path := l.path("check-runs/%d/annotations?per_page=%d", r.GetID(), maxNotes)
	a, err := get[[]*gh.CheckRunAnnotation](ctx, l.session, "list remarks of a check", path, "")
	if answered(err, http.StatusNotFound, http.StatusForbidden) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var notes []string
	for _, n := range a.value[:min(len(a.value), maxNotes)] {
		notes = append(notes, fmt.Sprintf("%s:%d: %s: %s", n.GetPath(), n.GetStartLine(), n.GetAnnotationLevel(), n.GetMessage()))
	}
	return notes, nil
}

var jobForm = regexp.MustCompile(`/actions/runs/\d+/jobs?/(\d+)`)

// job returns the id of the job behind a check: the page of the check contains it, else it is the id of the check run.
func job(r *gh.CheckRun) int64 {
	if m := jobForm.FindStringSubmatch(r.GetDetailsURL()); m != nil {
		if id, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			return id
		}
	}
	return r.GetID()
}

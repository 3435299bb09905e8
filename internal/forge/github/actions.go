package github

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"

	gh "github.com/google/go-github/v66/github"
)

const (
	maxRuns = 50 // runs of GitHub Actions on one commit whose jobs are read

	// What a token may lack, and the snapshot can do without.
	checksPermission  = "checks"
	actionsPermission = "actions"
	statusPermission  = "statuses"

	noChecks = "checks of others than GitHub Actions can't be read: the token lacks the permission \"Checks: read\", which " +
		"fine-grained personal tokens don't have (the token of an app has it, and a classic one with the scope repo)"
	noActions = "neither checks nor jobs of GitHub Actions can be read: give the token the permission " +
		"\"Actions: read\", or \"Checks: read\" where it can have it"
	noStatuses = "commit statuses can't be read: give the token the permission \"Commit statuses: read\""
)

// checkRuns returns the checks of the head. With a token that may not read checks it returns the jobs of GitHub Actions, and with one
// that may not read those either it returns none.
func (l *snapshot) checkRuns(ctx context.Context) ([]*gh.CheckRun, error) {
	if l.mayTry(checksPermission) {
		runs, err := pagesAt(ctx, l, kindRuns, func(r gh.ListCheckRunsResults) []*gh.CheckRun { return r.CheckRuns })
		if !l.denied(checksPermission, err) {
			return runs, err
		}
	}
	if l.mayTry(actionsPermission) {
		jobs, err := l.jobs(ctx)
		if !l.denied(actionsPermission, err) {
			l.lacks(checksPermission, noChecks)
			return jobs, err
		}
	}
	l.lacks(actionsPermission, noActions)
	return nil, nil
}

// statuses returns the commit statuses of the head, none with a token that may not read them.
func (l *snapshot) statuses(ctx context.Context) ([]*gh.RepoStatus, error) {
	if l.mayTry(statusPermission) {
		all, err := pagesAt(ctx, l, kindStatuses, func(c gh.CombinedStatus) []*gh.RepoStatus { return c.Statuses })
		if !l.denied(statusPermission, err) {
			return all, err
		}
	}
	l.lacks(statusPermission, noStatuses)
	return nil, nil
}

// jobs returns the jobs of the newest runs on the head, as the checks that GitHub makes of them. It leaves out jobs that were skipped
// or are neutral.
func (l *snapshot) jobs(ctx context.Context) ([]*gh.CheckRun, error) {
	runs, err := pagesAt(ctx, l, kindActions, func(r gh.WorkflowRuns) []*gh.WorkflowRun { return r.WorkflowRuns })
	if err != nil {
		return nil, err
	}
	runs = newest(runs)
	if len(runs) > maxRuns {
		runs, l.untagged = runs[:maxRuns], true
		l.warn("#%d: there are more than %d runs of GitHub Actions", l.number, maxRuns)
	}
	var all []*gh.CheckRun
	for _, r := range runs {
		jobs, err := l.jobsOf(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, j := range jobs {
			if c := j.GetConclusion(); c != "skipped" && c != "neutral" {
				all = append(all, asCheck(j))
			}
		}
		if isDone(r.GetStatus()) || slices.ContainsFunc(jobs, func(j *gh.WorkflowJob) bool { return !isDone(j.GetStatus()) }) {
			continue
		}
		// Jobs that wait for others do not exist yet.
		all = append(all, &gh.CheckRun{Name: r.Name, Status: r.Status, StartedAt: cmp.Or(r.RunStartedAt, r.CreatedAt)})
	}
	return all, nil
}

// newest returns the last run of each workflow and kind of event: only that one counts for a pull request. The order is the same for
// each commit.
func newest(runs []*gh.WorkflowRun) []*gh.WorkflowRun {
	kind := func(a, b *gh.WorkflowRun) int {
		return cmp.Or(cmp.Compare(a.GetWorkflowID(), b.GetWorkflowID()), cmp.Compare(a.GetEvent(), b.GetEvent()))
	}
	runs = slices.SortedFunc(slices.Values(runs), func(a, b *gh.WorkflowRun) int {
		return cmp.Or(kind(a, b), cmp.Compare(b.GetID(), a.GetID()))
	})
	return slices.CompactFunc(runs, func(a, b *gh.WorkflowRun) bool { return kind(a, b) == 0 })
}

// jobsOf returns the jobs of the newest attempt of a run. After run and jobs have ended, only another attempt can change them, which
// shows in the list of runs; so a stamp need not contain the tags of the jobs.
func (l *snapshot) jobsOf(ctx context.Context, r *gh.WorkflowRun) ([]*gh.WorkflowJob, error) {
	tags, untold := l.tags, l.untagged
	jobs, err := pagesAt(ctx, l, ofRun(r.GetID()), func(j gh.Jobs) []*gh.WorkflowJob { return j.Jobs })
	switch {
	case answered(err, http.StatusNotFound): // deleted since it was listed
		l.untagged = true
		return nil, nil
	case err != nil:
		return nil, err
	}
	if isDone(r.GetStatus()) && !slices.ContainsFunc(jobs, func(j *gh.WorkflowJob) bool { return !isDone(j.GetStatus()) }) {
		l.tags, l.untagged = tags, untold
	}
	return jobs, nil
}

func isDone(status string) bool { return status == "completed" }

// asCheck returns the check that GitHub makes of a job. Both have the same number and the same page.
func asCheck(j *gh.WorkflowJob) *gh.CheckRun {
	slug, title := "github-actions", ""
	for _, s := range j.Steps {
		if c := s.GetConclusion(); c == "failure" || c == "timed_out" {
			title = "in the step " + strconv.Quote(s.GetName())
			break
		}
	}
	return &gh.CheckRun{
		ID: j.ID, Name: j.Name, Status: j.Status, Conclusion: j.Conclusion, HTMLURL: j.HTMLURL, DetailsURL: j.HTMLURL,
		StartedAt: cmp.Or(j.StartedAt, j.CreatedAt), CompletedAt: j.CompletedAt, App: &gh.App{Slug: &slug}, Output: &gh.CheckRunOutput{Title: &title},
	}
}

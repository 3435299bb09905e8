package forgetest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Run is one of a workflow of GitHub Actions. Jobs make their own; one that is set has what they do not tell.
type Run struct {
	ID         int64 // as in Check.Run
	Head       string
	Workflow   int64     // 0 is 1
	Event      string    // "" is pull_request
	Status     string    // "" is what its jobs say
	Conclusion string    // of a completed one; "" is what its jobs say
	At         time.Time // when it began; zero is now
}

// firstRun is the number from which on runs count that nobody has given one.
const firstRun = 700_000

// SetRun puts a run on a commit, or changes the one that has this id.
func (g *GitHub) SetRun(repo string, r Run) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.At = g.at(r.At)
	f := g.feedbackOn(repo)
	f.runs = append(slices.DeleteFunc(f.runs, func(old Run) bool { return old.ID == r.ID }), r)
}

// runOf is the run of a job that names none: all such jobs of a commit are in one.
func (f *feedback) runOf(head string) int64 {
	last := int64(firstRun)
	for _, c := range f.checks {
		if c.Job && c.Head == head && c.Run >= firstRun {
			return c.Run
		}
		last = max(last, c.Run)
	}
	return last + 1
}

// runs lists the runs on a commit, the newest first.
func (g *GitHub) runs(repo *Repository, r *http.Request) answer {
	f, head := repo.feedback(), r.URL.Query().Get("head_sha")
	var found []Run
	for _, run := range f.runs {
		if run.Head == head {
			found = append(found, run)
		}
	}
	for _, c := range f.checks {
		if c.Job && c.Head == head && !slices.ContainsFunc(found, func(r Run) bool { return r.ID == c.Run }) {
			found = append(found, Run{ID: c.Run, Head: head, At: c.At})
		}
	}
	slices.SortFunc(found, func(a, b Run) int { return cmp.Compare(b.ID, a.ID) })
	list := []any{}
	for _, run := range found {
		list = append(list, g.runBody(repo, run))
	}
	a := g.page(list, r.URL)
	a.body = map[string]any{"total_count": len(list), "workflow_runs": a.body}
	return a
}

// latestJobs are the jobs of the newest attempt of a run, and how many attempts there were: a job that is made anew under its name
// is one that runs again.
func (f *feedback) latestJobs(run int64) (jobs []*Check, attempts int) {
	times := map[string]int{}
	for _, c := range slices.Backward(f.checks) {
		if !c.Job || c.Run != run {
			continue
		}
		if times[c.Name]++; times[c.Name] == 1 {
			jobs = append(jobs, c)
		}
		attempts = max(attempts, times[c.Name])
	}
	slices.Reverse(jobs)
	return jobs, attempts
}

func (g *GitHub) runBody(repo *Repository, r Run) map[string]any {
	jobs, attempts := repo.feedback().latestJobs(r.ID)
	status, conclusion := "completed", "success"
	for _, j := range jobs {
		switch {
		case j.Status != "completed":
			status = "in_progress"
		case j.Conclusion != "success" && j.Conclusion != "skipped" && j.Conclusion != "neutral":
			conclusion = j.Conclusion
		}
	}
	status = cmp.Or(r.Status, status)
	begun := stamp(r.At)
	m := g.object("workflow-run", map[string]any{
		"id": r.ID, "head_sha": r.Head, "status": status, "conclusion": nil, "workflow_id": cmp.Or(r.Workflow, 1),
		"run_attempt": max(attempts, 1), "event": cmp.Or(r.Event, "pull_request"),
		"html_url": fmt.Sprintf("%s/%s/actions/runs/%d", g.URL, repo.Name, r.ID), "name": "CI",
		"created_at": begun, "run_started_at": begun,
		"repository": g.repoBody("minimal-repository", repo), "head_repository": g.repoBody("minimal-repository", repo),
	})
	if status == "completed" {
		m["conclusion"] = cmp.Or(r.Conclusion, conclusion)
	}
	return m
}

// jobs lists the jobs of a run in its newest attempt.
func (g *GitHub) jobs(repo *Repository, run string, r *http.Request) answer {
	id, _ := strconv.ParseInt(run, 10, 64)
	jobs, attempts := repo.feedback().latestJobs(id)
	if len(jobs) == 0 && !slices.ContainsFunc(repo.feedback().runs, func(r Run) bool { return r.ID == id }) {
		return refuse(http.StatusNotFound, "Not Found")
	}
	list := []any{}
	for _, c := range jobs {
		list = append(list, g.jobBody(repo, c, attempts))
	}
	a := g.page(list, r.URL)
	a.body = map[string]any{"total_count": len(list), "jobs": a.body}
	return a
}

func (g *GitHub) jobBody(repo *Repository, c *Check, attempt int) map[string]any {
	m := g.object("job", map[string]any{
		"id": c.ID, "run_id": c.Run, "name": c.Name, "head_sha": c.Head, "status": c.Status, "conclusion": nil, "run_attempt": attempt,
		"started_at": stamp(c.At), "created_at": stamp(c.At), "completed_at": nil, "html_url": g.jobPage(repo, c), "workflow_name": "CI",
	})
	if c.Status == "completed" {
		m["conclusion"], m["completed_at"] = c.Conclusion, stamp(c.At)
	}
	if c.Step != "" {
		m["steps"] = []any{
			map[string]any{"name": "Set up job", "status": "completed", "conclusion": "success", "number": 1},
			map[string]any{"name": c.Step, "status": "completed", "conclusion": c.Conclusion, "number": 2},
		}
	}
	return m
}

func (g *GitHub) jobPage(repo *Repository, c *Check) string {
	return fmt.Sprintf("%s/%s/actions/runs/%d/job/%d", g.URL, repo.Name, c.Run, c.ID)
}

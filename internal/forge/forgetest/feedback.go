package forgetest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// servedFeedback are the operations on what people and checks say about a pull request, and on who may do what. Those on the
// comments of a conversation serve issues as well.
var servedFeedback = map[string][]string{
	"/user": {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/reviews":                       {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/comments":                      {"get"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies": {"post"},
	"/repos/{owner}/{repo}/pulls/comments/{comment_id}":                       {"delete"},
	"/repos/{owner}/{repo}/issues/{issue_number}/comments":                    {"get", "post"},
	"/repos/{owner}/{repo}/commits/{ref}/check-runs":                          {"get"},
	"/repos/{owner}/{repo}/commits/{ref}/status":                              {"get"},
	"/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations":             {"get"},
	"/repos/{owner}/{repo}/actions/jobs/{job_id}/logs":                        {"get"},
	"/repos/{owner}/{repo}/actions/runs":                                      {"get"},
	"/repos/{owner}/{repo}/actions/runs/{run_id}/jobs":                        {"get"},
	"/repos/{owner}/{repo}/collaborators/{username}/permission":               {"get"},
	"/repos/{owner}/{repo}/branches/{branch}":                                 {"get"},
}

// people is what the server knows of accounts, and the host of its logs.
type people struct {
	bots map[string]bool
	app  bool     // the token is an app's
	lack []string // permissions that the token does not have
	last int64
	logs *httptest.Server
}

// feedback is what was said about the pull requests of a repository.
type feedback struct {
	comments map[int][]*Comment // by number of the issue or pull request
	lines    map[int][]*Comment // on lines
	reviews  map[int][]*Review
	checks   []*Check
	statuses []*Status
	runs     []Run
	may      map[string]string // lower-case login to permission
}

// operateFeedback carries out a call of servedFeedback; g.mu is held.
func (g *GitHub) operateFeedback(repo *Repository, rt *route, r *http.Request, body []byte) (answer, bool) {
	number, _ := strconv.Atoi(rt.params["pull_number"] + rt.params["issue_number"]) // one of them
	if a, lacks := g.withheld(rt.path); lacks {
		return a, true
	}
	switch r.Method + " " + rt.path[len("/repos/{owner}/{repo}"):] {
	case "GET /pulls/{pull_number}/reviews":
		return g.ofPull(repo, number, func(p *Pull) answer { return g.page(g.reviews(repo, p), r.URL) })
	case "GET /pulls/{pull_number}/comments":
		return g.ofPull(repo, number, func(p *Pull) answer { return g.page(g.lineComments(repo, p), r.URL) })
	case "POST /pulls/{pull_number}/comments/{comment_id}/replies":
		return g.ofPull(repo, number, func(p *Pull) answer { return g.reply(repo, p, rt.params["comment_id"], body) })
	case "DELETE /pulls/comments/{comment_id}":
		return g.removeComment(repo.feedback().lines, rt.params["comment_id"]), true
	case "GET /issues/{issue_number}/comments":
		return g.listConversation(repo, number, r), true
	case "POST /issues/{issue_number}/comments":
		return g.comment(repo, number, body), true
	case "GET /commits/{ref}/check-runs":
		return g.checkRuns(repo, rt.params["ref"], r), true
	case "GET /commits/{ref}/status":
		return g.combined(repo, rt.params["ref"], r), true
	case "POST /check-runs", "PATCH /check-runs/{check_run_id}":
		return g.writeCheck(repo, rt.params["check_run_id"], r, body), true
	case "GET /check-runs/{check_run_id}/annotations":
		return g.annotations(repo, rt.params["check_run_id"], r), true
	case "GET /actions/jobs/{job_id}/logs":
		return g.jobLog(repo, rt.params["job_id"]), true
	case "GET /actions/runs":
		return g.runs(repo, r), true
	case "GET /actions/runs/{run_id}/jobs":
		return g.jobs(repo, rt.params["run_id"], r), true
	case "GET /collaborators/{username}/permission":
		return g.permission(repo, rt.params["username"]), true
	case "GET /branches/{branch}":
		return g.branch(repo, rt.params["branch"]), true
	}
	return answer{}, false
}

func (g *GitHub) ofPull(repo *Repository, number int, then func(p *Pull) answer) (answer, bool) {
	if p := repo.pull(number); p != nil {
		return then(p), true
	}
	return refuse(http.StatusNotFound, "Not Found"), true
}

// id gives a number that nothing else on the server has; g.mu must be held.
func (g *GitHub) id() int64 {
	g.people.last++
	return 1000 + g.people.last
}

// at is when something happened: as told, or now; g.mu must be held.
func (g *GitHub) at(t time.Time) time.Time {
	if t.IsZero() {
		return g.now()
	}
	return t
}

// feedbackOn gives what was said about a repository, ready to be written to; g.mu must be held.
func (g *GitHub) feedbackOn(repo string) *feedback {
	r := g.repo(repo)
	if r == nil {
		g.t.Errorf("there is no repository %s", repo)
		return newFeedback()
	}
	return r.feedback()
}

func newFeedback() *feedback {
	return &feedback{comments: map[int][]*Comment{}, lines: map[int][]*Comment{}, reviews: map[int][]*Review{}, may: map[string]string{}}
}

func (r *Repository) feedback() *feedback {
	if r.said == nil {
		r.said = newFeedback()
	}
	return r.said
}

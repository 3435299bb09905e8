package forgetest

import (
	"fmt"
	"strings"
	"testing"
)

// TestActionsFitTheDescription reads runs and jobs; the server holds its own answers against the description.
func TestActionsFitTheDescription(t *testing.T) {
	g, rec := start(t)
	first := g.SetCheck("acme/shop", Check{Name: "test", Head: "bbbb", Conclusion: "failure", Job: true, Step: "go test"})
	g.SetCheck("acme/shop", Check{Name: "lint", Head: "bbbb", Conclusion: "success", Job: true})
	g.SetCheck("acme/shop", Check{Name: "app", Head: "bbbb", Conclusion: "success"})
	g.SetCheck("acme/shop", Check{Name: "test", Head: "cccc", Status: "queued", Job: true})
	run, other := int64(firstRun+1), int64(firstRun+2)
	g.SetRun("acme/shop", Run{ID: 10, Head: "bbbb", Workflow: 2, Event: "push", Status: "pending"})
	jobs := func(id int64) string { return fmt.Sprintf("/repos/acme/shop/actions/runs/%d/jobs", id) }
	ask := func(path string, want ...string) {
		t.Helper()
		status, body := call(t, g, "GET", path, "")
		for _, w := range want {
			if status != 200 || !strings.Contains(body, w) {
				t.Errorf("%s: %d, want %s in\n%s", path, status, w, body)
			}
		}
	}
	list := "/repos/acme/shop/actions/runs?head_sha="
	ask(list+"bbbb", `"total_count":2`, fmt.Sprintf(`"id":%d,`, run), `"status":"pending"`, `"conclusion":"failure"`, `"run_attempt":1`)
	ask(list+"cccc", `"total_count":1`, `"status":"in_progress"`, `"conclusion":null`)
	ask(list+"none", `"total_count":0`)
	ask(jobs(run)+"?filter=latest", `"total_count":2`, fmt.Sprintf(`"id":%d,`, first), `"name":"go test"`, `"workflow_name":"CI"`)
	ask(jobs(other), `"total_count":1`, `"status":"queued"`)
	ask(jobs(10), `"total_count":0`)
	again := g.SetCheck("acme/shop", Check{Name: "test", Head: "bbbb", Conclusion: "success", Job: true})
	ask(list+"bbbb", `"run_attempt":2`, `"conclusion":"success"`)
	ask(jobs(run), `"total_count":2`, fmt.Sprintf(`"id":%d,`, again))
	if _, body := call(t, g, "GET", jobs(run), ""); strings.Contains(body, fmt.Sprintf(`"id":%d,`, first)) {
		t.Errorf("a job of an older attempt is listed: %s", body)
	}
	if status, _ := call(t, g, "GET", jobs(99), ""); status != 404 {
		t.Errorf("a run that is not there: %d", status)
	}
	if f := rec.failures(); len(f) > 0 {
		t.Error(f)
	}
	if call(t, g, "GET", list+"bbbb&sha=x", ""); len(rec.failures()) == 0 {
		t.Error("an unknown parameter was let through")
	}
}

// TestWithhold: what the token may not read is refused, by name, and nothing else.
func TestWithhold(t *testing.T) {
	g, rec, _, check := talked(t)
	paths := map[string][]string{
		"checks":   {"/repos/acme/shop/commits/bbbb/check-runs", fmt.Sprintf("/repos/acme/shop/check-runs/%d/annotations", check)},
		"actions":  {"/repos/acme/shop/actions/runs?head_sha=bbbb", fmt.Sprintf("/repos/acme/shop/actions/runs/%d/jobs", firstRun+1)},
		"statuses": {"/repos/acme/shop/commits/bbbb/status"},
		"none":     {"/repos/acme/shop/pulls/1/reviews", "/user"},
	}
	for lacking := range paths {
		g.Withhold(lacking)
		for needs, list := range paths {
			for _, path := range list {
				status, body := call(t, g, "GET", path, "")
				if refused := status == 403 && strings.Contains(body, "Resource not accessible"); refused != (needs == lacking && needs != "none") {
					t.Errorf("without %s, %s: %d %s", lacking, path, status, body)
				}
			}
		}
	}
	if f := rec.failures(); len(f) > 0 {
		t.Error(f)
	}
}

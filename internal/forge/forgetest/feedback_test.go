package forgetest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// talked is a server with a pull request that people have talked about, and a check with a log.
func talked(t *testing.T) (g *GitHub, rec *recorder, line, check int64) {
	t.Helper()
	g, rec = start(t)
	n := g.OpenPull("acme/shop", Pull{Head: "work", Base: "main", Title: "x"})
	_, lines := g.AddReview("acme/shop", n, Review{By: "alice", State: "CHANGES_REQUESTED", Body: "No.", Lines: []Comment{{Body: "Here.", Path: "a.go", Line: 3}}})
	g.CommentOn("acme/shop", n, "renovate[bot]", "hello")
	g.CommentOn("acme/shop", n, "", "from one who is gone")
	check = g.SetCheck("acme/shop", Check{Name: "test", Head: "bbbb", Conclusion: "failure", Job: true, Log: "a\nb\n",
		Annotations: []Annotation{{Path: "a", Line: 1}}})
	g.SetCheck("acme/shop", Check{Name: "slow", Head: "bbbb", Status: "queued"})
	g.SetStatus("acme/shop", Status{Head: "bbbb", Context: "ci", State: "pending"})
	return g, rec, lines[0], check
}

// TestFeedbackFitsTheDescription reads everything that can be read; the server holds its own answers against the description.
func TestFeedbackFitsTheDescription(t *testing.T) {
	g, rec, line, check := talked(t)
	for path, want := range map[string]string{
		"/user":                                                             `"login":"longshift-bot"`,
		"/repos/acme/shop/pulls/1":                                          `"mergeable":null`,
		"/repos/acme/shop/pulls/1/reviews":                                  `"state":"CHANGES_REQUESTED"`,
		"/repos/acme/shop/pulls/1/comments":                                 `"body":"Here."`,
		"/repos/acme/shop/issues/1/comments":                                `"type":"Bot"`,
		"/repos/acme/shop/commits/bbbb/status":                              `"context":"ci"`,
		"/repos/acme/shop/branches/main":                                    `"sha":"aaaa"`,
		"/repos/acme/shop/commits/bbbb/check-runs?filter=all":               `"total_count":2`,
		"/repos/acme/shop/commits/none/check-runs":                          `"total_count":0`,
		"/repos/acme/shop/commits/none/status":                              `"state":"pending"`,
		"/repos/acme/shop/collaborators/alice/permission":                   `"permission":"write"`,
		"/repos/acme/shop/collaborators/mallory/permission":                 `"permission":"read"`,
		"/repos/acme/shop/check-runs/" + fmt.Sprint(check) + "/annotations": `"start_line":1`,
	} {
		if status, body := call(t, g, "GET", path, ""); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, path := range []string{
		"/repos/acme/shop/pulls/2/reviews", "/repos/acme/shop/issues/2/comments", "/repos/acme/shop/check-runs/1/annotations",
		"/repos/acme/shop/actions/jobs/1/logs", "/repos/acme/shop/branches/none",
	} {
		if status, _ := call(t, g, "GET", path, ""); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, body := call(t, g, "POST", "/repos/acme/shop/pulls/1/comments/"+fmt.Sprint(line)+"/replies", `{"body":"ok"}`); status != 201 ||
		!strings.Contains(body, `"in_reply_to_id":`+fmt.Sprint(line)) {
		t.Errorf("reply: %d %s", status, body)
	}
	if status, _ := call(t, g, "POST", "/repos/acme/shop/issues/1/comments", `{"body":"ok"}`); status != 201 || len(g.Comments("acme/shop", 1)) != 3 {
		t.Errorf("comment: %d", status)
	}
	if status, _ := call(t, g, "POST", "/repos/acme/shop/issues/1/comments", `{"body":" "}`); status != 422 {
		t.Errorf("empty comment: %d", status)
	}
	if f := rec.failures(); len(f) > 0 {
		t.Error(f)
	}
}

func TestFeedbackIsHeldAgainstTheDescription(t *testing.T) {
	g, rec, line, _ := talked(t)
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/repos/acme/shop/pulls/1/comments/" + fmt.Sprint(line) + "/replies", `{"body":"ok","in_reply_to":1}`}, // what the client library sends
		{"POST", "/repos/acme/shop/pulls/1/comments/" + fmt.Sprint(line) + "/replies", `{}`},
		{"POST", "/repos/acme/shop/issues/1/comments", `{"text":"ok"}`},
		{"GET", "/repos/acme/shop/commits/bbbb/check-runs?filter=newest", ""},
		{"GET", "/repos/acme/shop/pulls/1/reviews?sort=created", ""},
	} {
		call(t, g, c.method, c.path, c.body)
		if len(rec.failures()) == 0 {
			t.Errorf("%s %s %s was let through", c.method, c.path, c.body)
		}
	}
}

// TestConditional: a tag that is named again costs nothing, until something changes.
func TestConditional(t *testing.T) {
	g, rec, _, _ := talked(t)
	ask := func(tag string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "GET", g.URL+"/repos/acme/shop/issues/1/comments", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+Token)
		if tag != "" {
			req.Header.Set("If-None-Match", tag)
		}
		resp, err := g.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	first := ask("")
	tag := first.Header.Get("Etag")
	if !strings.HasPrefix(tag, `W/"`) || ask(`W/"other"`).StatusCode != 200 {
		t.Fatalf("tag %q", tag)
	}
	left := ask(tag).Header.Get("X-Ratelimit-Remaining")
	if again := ask(tag); again.StatusCode != 304 || again.Header.Get("X-Ratelimit-Remaining") != left || again.Header.Get("Etag") != tag {
		t.Errorf("got %d, %s of %s left", again.StatusCode, again.Header.Get("X-Ratelimit-Remaining"), left)
	}
	g.CommentOn("acme/shop", 1, "alice", "more")
	if resp := ask(tag); resp.StatusCode != 200 || resp.Header.Get("Etag") == tag {
		t.Errorf("after a change: %d", resp.StatusCode)
	}
	if f := rec.failures(); len(f) > 0 {
		t.Error(f)
	}
}

// TestLogHost: the log is on another host, which must not see the token.
func TestLogHost(t *testing.T) {
	g, rec, _, check := talked(t)
	client := g.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	get := func(to, token, ranged string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "GET", to, nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		if ranged != "" {
			req.Header.Set("Range", ranged)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	resp := get(g.URL+"/repos/acme/shop/actions/jobs/"+fmt.Sprint(check)+"/logs", Token, "")
	to := resp.Header.Get("Location")
	u, err := url.Parse(to)
	if err != nil || resp.StatusCode != 302 || u.Host == strings.TrimPrefix(g.URL, "http://") {
		t.Fatalf("got %d to %q", resp.StatusCode, to)
	}
	if resp := get(to, "", ""); resp.StatusCode != 200 || resp.ContentLength != 4 {
		t.Errorf("the log: %d, %d bytes", resp.StatusCode, resp.ContentLength)
	}
	if resp := get(to, "", "bytes=2-"); resp.StatusCode != 206 || resp.ContentLength != 2 {
		t.Errorf("a part of it: %d, %d bytes", resp.StatusCode, resp.ContentLength)
	}
	if f := rec.failures(); len(f) > 0 {
		t.Error(f)
	}
	if get(to, Token, ""); len(rec.failures()) == 0 {
		t.Error("the token went to the host of the logs")
	}
	if get(strings.Replace(to, "sig=", "sig=x", 1), "", ""); len(rec.failures()) == 0 {
		t.Error("a wrong signature was let through")
	}
}

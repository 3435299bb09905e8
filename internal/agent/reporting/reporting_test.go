package reporting_test

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/task"
)

// stage is a session of a role that has begun, and what it has accepted.
type stage struct {
	t        *testing.T
	file     string
	session  *reporting.Session
	accepted []reporting.Report
}

func newStage(t *testing.T, role task.Role) *stage {
	t.Helper()
	s := &stage{t: t, file: filepath.Join(t.TempDir(), "session", "reports.jsonl")}
	s.open(role)
	return s
}

// open opens the session, again if it has been opened before.
func (s *stage) open(role task.Role) {
	s.t.Helper()
	session, err := reporting.Open(reporting.Spec{Role: role, File: s.file, Hide: hide, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(session.Close)
	plan := &task.Plan{Deliverables: []task.Deliverable{{ID: "FIX-001", Description: "It adds."}, {ID: "FIX-002", Description: "It subtracts."}}}
	s.session, s.accepted = session, nil
	session.Begin(reporting.About{Plan: plan, Deliverable: &plan.Deliverables[0], Accepted: func(r reporting.Report) { s.accepted = append(s.accepted, r) }})
}

// bearer shows a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects a client to the session's server.
func connect(ctx context.Context, e *agent.Reports) (*mcp.ClientSession, error) {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: e.URL, HTTPClient: &http.Client{Transport: bearer(e.Token)}, MaxRetries: -1, DisableStandaloneSSE: true}, nil)
}

// call calls a tool and returns its answer, and whether it is an error.
func (s *stage) call(tool, arguments string) (text string, wrong bool) {
	s.t.Helper()
	c, err := connect(s.t.Context(), s.session.Endpoint())
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	r, err := c.CallTool(s.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: rawJSON(arguments)})
	if err != nil {
		return err.Error(), true
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// hide hides the word secret.
func hide(text string) string { return strings.ReplaceAll(text, "secret", "[hidden]") }

// texts are the texts of the accepted reports.
func (s *stage) texts() (all []string) {
	for _, r := range s.accepted {
		all = append(all, r.Text)
	}
	return all
}

func TestToolsOfRoles(t *testing.T) {
	t.Parallel()
	always := []string{"spec_issue", "finding_report", "note_save", "progress"}
	for role, own := range map[task.Role][]string{
		task.Planner:     {"plan_submit"},
		task.Implementer: {"deliverable_list", "deliverable_set_status"},
		task.Reviewer:    {"deliverable_list", "deliverable_verify", "review_submit"},
	} {
		s := newStage(t, role)
		c, err := connect(t.Context(), s.session.Endpoint())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if s.session.Endpoint().Wait(ctx) == nil {
			t.Errorf("%s: the tools count as listed before they were", role)
		}
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		want := slices.Sorted(slices.Values(append(own, always...)))
		if slices.Sort(names); !slices.Equal(names, want) || !slices.Equal(slices.Sorted(slices.Values(s.session.Endpoint().Tools)), want) {
			t.Errorf("%s has %q and is told of %q, wanted %q", role, names, s.session.Endpoint().Tools, want)
		}
		if err := s.session.Endpoint().Wait(t.Context()); err != nil {
			t.Error(err)
		}
	}
	s := newStage(t, task.Implementer)
	if text, wrong := s.call("review_submit", `{"verdict":"approved","text":"mine"}`); !wrong || s.accepted != nil {
		t.Errorf("an implementer approves its own work: %q", text)
	}
}

// TestToken lets nobody report who has not the session's own token, and no page of a browser.
func TestToken(t *testing.T) {
	t.Parallel()
	s, other := newStage(t, task.Implementer), newStage(t, task.Implementer)
	for name, spoil := range map[string]func(*http.Request){
		"none":          func(r *http.Request) { r.Header.Del("Authorization") },
		"other session": func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+other.session.Endpoint().Token) },
		"no bearer":     func(r *http.Request) { r.Header.Set("Authorization", s.session.Endpoint().Token) },
		"other host":    func(r *http.Request) { r.Host = "rebound.example" },
		"other site":    func(r *http.Request) { r.Header.Set("Origin", "https://rebound.example") },
		"":              func(*http.Request) {},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.session.Endpoint().URL,
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","arguments":{"text":"`+name+`"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.session.Endpoint().Token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		spoil(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if ok := name == ""; ok != (resp.StatusCode == http.StatusOK) {
			t.Errorf("%s: %s", name, resp.Status)
		}
	}
	if len(s.accepted) != 0 {
		t.Errorf("accepted %q", s.texts())
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	s := newStage(t, task.Implementer)
	for _, c := range []struct{ tool, arguments, want string }{
		{"deliverable_list", `{}`, "FIX-002"},
		{"progress", `{"text":"reading"}`, "recorded"},
		{"note_save", `{"text":"Dates are UTC."}`, "recorded"},
		{"note_save", `{ "text" : "Dates are UTC." }`, "recorded before"},
		{"finding_report", `{"path":"a.go","text":"It leaks."}`, "recorded"},
		{"note_save", `{"text":"the key is secret"}`, "recorded"},
		{"note_save", `{"text":""}`, `not recorded: text is empty`},
		{"note_save", `{"txt":"x"}`, `A call looks like this: {"text": "..."}`},
		{"note_save", `{"text":"x","more":1}`, `not recorded`},
		{"deliverable_set_status", `{"id":"FIX-002","status":"passed","text":"fix: subtract"}`, `id is "FIX-002": this session works on FIX-001`},
		{"deliverable_set_status", `{"id":"FIX-001","status":"done","text":"fix: add"}`, `status is "done": use passed or blocked`},
		{"deliverable_set_status", `{"id":"FIX-001","status":"passed","text":"` + strings.Repeat("x", 17<<10) + `"}`, "give at most 16384"},
		{"deliverable_set_status", `{"id":"FIX-001","status":"passed","text":"fix: add"}`, "the session ends here"},
		{"deliverable_set_status", `{"id":"FIX-001","status":"passed","text":"fix: add"}`, "recorded before"},
		{"deliverable_set_status", `{"id":"FIX-001","status":"blocked","text":"no"}`, "the session has ended with deliverable_set_status"},
		{"note_save", `{"text":"One more."}`, "the session has ended"},
	} {
		text, wrong := s.call(c.tool, c.arguments)
		recorded := strings.HasPrefix(c.want, "recorded") || c.tool == "deliverable_list" || c.want == "the session ends here"
		if !strings.Contains(text, c.want) || wrong == recorded {
			t.Errorf("%s %.80s: %q, wrong %v; wanted %q", c.tool, c.arguments, text, wrong, c.want)
		}
	}
	if got, want := s.texts(), []string{"reading", "Dates are UTC.", "a.go: It leaks.", "the key is [hidden]", "fix: add"}; !slices.Equal(got, want) {
		t.Errorf("accepted %q, wanted %q", got, want)
	}
	kinds := []task.MarkerKind{"", task.Note, task.Found, task.Note, task.Progress}
	for i, r := range s.accepted {
		if r.Kind != kinds[i] || r.Time.IsZero() || r.Ends != (i == 4) {
			t.Errorf("report %d: %+v", i, r)
		}
	}
}

func TestMostReports(t *testing.T) {
	t.Parallel()
	s := newStage(t, task.Planner)
	c, err := connect(t.Context(), s.session.Endpoint())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for i := range 201 {
		r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "progress", Arguments: map[string]any{"text": strings.Repeat("x", i+1)}})
		if err != nil || r.IsError != (i == 200) {
			t.Fatalf("report %d: %+v, error %v", i+1, r, err)
		}
	}
	if text, wrong := s.call("spec_issue", `{"text":"which?"}`); wrong {
		t.Errorf("it can't end: %s", text)
	}
}

// TestMostFindings refuses what would be left out later.
func TestMostFindings(t *testing.T) {
	t.Parallel()
	s := newStage(t, task.Reviewer)
	for i := range task.MaxNotes + 1 {
		text, wrong := s.call("finding_report", `{"text":"`+strings.Repeat("x", i+1)+`"}`)
		if wrong != (i == task.MaxNotes) {
			t.Fatalf("finding %d: %s", i+1, text)
		}
	}
	if text, wrong := s.call("note_save", `{"text":"x"}`); wrong {
		t.Error(text)
	}
}

// TestReopened finds what was accepted before a crash, and drops the part of a line that a crash has left: nobody was told of it.
func TestReopened(t *testing.T) {
	t.Parallel()
	s := newStage(t, task.Reviewer)
	s.call("note_save", `{"text":"Dates are UTC."}`)
	s.session.Close()
	f, err := os.OpenFile(s.file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"tool":"review_submit","argu`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	s.open(task.Reviewer)
	if got := s.texts(); !slices.Equal(got, []string{"Dates are UTC."}) {
		t.Errorf("found %q", got)
	}
	if _, ended := s.session.Ended(); ended {
		t.Error("a review was found that was never acknowledged")
	}
	if text, wrong := s.call("note_save", `{"text":"Dates are UTC."}`); wrong || text != "recorded before" {
		t.Errorf("the same again: %q", text)
	}
	if text, wrong := s.call("review_submit", `{"verdict":"approved","text":"fine"}`); wrong {
		t.Error(text)
	}
	s.session.Close()
	s.open(task.Reviewer)
	if end, ended := s.session.Ended(); !ended || string(end.Answer) != `{"verdict":"approved","text":"fine"}` {
		t.Errorf("found the end %+v", end)
	}
	if info, err := os.Stat(s.file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is readable by others: %v, %v", info, err)
	}
}

// TestSpoiledFile names the line that can't be read, and opens no session that would lose reports.
func TestSpoiledFile(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"no JSON": "oops\n", "an unknown tool": `{"tool":"merge","arguments":{}}` + "\n"} {
		file := filepath.Join(t.TempDir(), "reports.jsonl")
		if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := reporting.Open(reporting.Spec{Role: task.Planner, File: file, Hide: hide, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		if err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBeforeBegin accepts nothing for a session whose work is not known.
func TestBeforeBegin(t *testing.T) {
	t.Parallel()
	session, err := reporting.Open(reporting.Spec{Role: task.Planner, File: filepath.Join(t.TempDir(), "r"), Hide: hide, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, session: session}
	if text, wrong := s.call("note_save", `{"text":"x"}`); !wrong || !strings.Contains(text, "has not begun") {
		t.Error(text)
	}
	session.Close()
	if _, err := connect(t.Context(), session.Endpoint()); err == nil {
		t.Error("the server answers after its session")
	}
}

// TestReopen goes on with a session whose end is not to be believed, also when it is closed.
func TestReopen(t *testing.T) {
	t.Parallel()
	const blocked, note = `{"id":"FIX-001","status":"blocked","text":"no room"}`, `{"text":"Dates are UTC."}`
	s := newStage(t, task.Implementer)
	s.call("note_save", note)
	if err := s.session.Reopen(); err != nil {
		t.Error(err)
	}
	s.call("deliverable_set_status", blocked)
	s.session.Close()
	if err := s.session.Reopen(); err != nil {
		t.Fatal(err)
	}
	s.open(task.Implementer)
	if _, ended := s.session.Ended(); ended || !slices.Equal(s.texts(), []string{"Dates are UTC."}) {
		t.Errorf("ended %v, found %q", ended, s.texts())
	}
	if text, wrong := s.call("deliverable_set_status", blocked); wrong || !strings.Contains(text, "ends here") {
		t.Error(text)
	}
	if err := s.session.Reopen(); err != nil {
		t.Error(err)
	}
	if text, wrong := s.call("note_save", `{"text":"More."}`); wrong || text != "recorded" {
		t.Error(text)
	}
}

// TestVerifications lets a reviewer of a specification approve only what it has verified, one deliverable after the other.
func TestVerifications(t *testing.T) {
	t.Parallel()
	s := newStage(t, task.Reviewer)
	plan := &task.Plan{Deliverables: []task.Deliverable{{ID: "FEAT-001", Status: task.Passed}, {ID: "FEAT-002", Status: task.Passed},
		{ID: "FEAT-003", Status: task.Blocked}}}
	s.session.Begin(reporting.About{Plan: plan, Confirms: true, Accepted: func(r reporting.Report) { s.accepted = append(s.accepted, r) }})
	const approve = `{"verdict":"approved","text":"fine"}`
	for _, c := range []struct{ tool, arguments, want string }{
		{"review_submit", approve, "not recorded: FEAT-001 is not verified"},
		{"deliverable_verify", `{"id":"FEAT-001","holds":true,"text":"ran it"}`, "recorded"},
		{"deliverable_verify", `{"id":"FEAT-001","holds":true}`, "not recorded: text is empty"},
		{"deliverable_verify", `{"id":"FEAT-003","holds":true,"text":"ran it"}`, `not recorded: id is "FEAT-003"`},
		{"deliverable_verify", `{"id":"FEAT-009","holds":true,"text":"ran it"}`, `not recorded: id is "FEAT-009"`},
		{"review_submit", approve, "not recorded: FEAT-002 is not verified"},
		{"deliverable_verify", `{"id":"FEAT-002","holds":false,"text":"the odd case fails"}`, "recorded"},
		{"review_submit", approve, "not recorded: FEAT-002 does not hold, by your own word"},
		{"deliverable_verify", `{"id":"FEAT-002","holds":true,"text":"I misread the odd case"}`, "recorded"},
		{"deliverable_verify", `{"id":"FEAT-001","holds":false,"text":"it failed"}`, "recorded"},
		{"deliverable_verify", `{"id":"FEAT-001","holds":false,"text":"it failed"}`, "recorded before"},
		{"review_submit", approve, "not recorded: FEAT-001 does not hold, by your own word"},
		{"deliverable_verify", `{"id":"FEAT-001","holds":true,"text":"ran it"}`, "recorded"},
		{"review_submit", approve, "recorded; the session ends here"},
	} {
		if text, wrong := s.call(c.tool, c.arguments); !strings.HasPrefix(text, c.want) || wrong != strings.HasPrefix(c.want, "not") {
			t.Errorf("%s %s: %q, wanted %q", c.tool, c.arguments, text, c.want)
		}
	}
	s.session.Close()
	denied := newStage(t, task.Reviewer)
	denied.session.Begin(reporting.About{Plan: plan, Confirms: true, Accepted: func(reporting.Report) {}})
	if text, wrong := denied.call("review_submit", `{"verdict":"request_changes","text":"1. a.go:1: wrong"}`); wrong {
		t.Errorf("a request for changes needs no verification: %q", text)
	}
}

// TestFollow: a session takes its reports where the one before did, for as long as the agent's process goes on.
func TestFollow(t *testing.T) {
	t.Parallel()
	s := newStage(t, task.Implementer)
	first, at := s.session, s.session.Endpoint()
	spec := reporting.Spec{Role: task.Implementer, File: filepath.Join(t.TempDir(), "second.jsonl"), Hide: hide, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	if _, err := first.Follow(spec); err == nil {
		t.Error("two sessions take reports at one address")
	}
	if text, wrong := s.call("note_save", `{"text":"one"}`); wrong {
		t.Error(text)
	}
	first.Leave()
	if text, wrong := s.call("note_save", `{"text":"between"}`); !wrong || !strings.Contains(text, "no session runs") {
		t.Errorf("between the sessions: %s", text)
	}
	spec.Role = task.Reviewer
	if _, err := first.Follow(spec); err == nil {
		t.Error("a reviewer has the tools of an implementer")
	}
	spec.Role = task.Implementer
	second, err := first.Follow(spec)
	if err != nil {
		t.Fatal(err)
	}
	if e := second.Endpoint(); e.URL != at.URL || e.Token != at.Token {
		t.Errorf("%+v follows %+v", e, at)
	}
	if text, wrong := s.call("note_save", `{"text":"early"}`); !wrong || !strings.Contains(text, "has not begun") {
		t.Errorf("before it begins: %s", text)
	}
	var got []string
	second.Begin(reporting.About{Accepted: func(r reporting.Report) { got = append(got, r.Text) }})
	if text, wrong := s.call("note_save", `{"text":"two"}`); wrong {
		t.Error(text)
	}
	if !slices.Equal(got, []string{"two"}) || !slices.Equal(s.texts(), []string{"one"}) {
		t.Errorf("the second has %q, the first %q", got, s.texts())
	}
	second.Close()
	if _, err := connect(t.Context(), at); err == nil {
		t.Error("the address is served after the last session")
	}
}

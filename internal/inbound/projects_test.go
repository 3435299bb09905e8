package inbound

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/internal/repo/checkouts"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// projectWorld is a world with a Directory and a folder of projects: two repositories, a plain folder and a link.
type projectWorld struct {
	*world
	root      string
	directory *fakeWorkflow
	chosen    map[string]string // by channel and user
	silent    error             // error of the Directory
	sent      int
}

func newProjectWorld(t *testing.T, change ...func(*Config)) *projectWorld {
	t.Helper()
	s := &projectWorld{root: t.TempDir(), chosen: map[string]string{}}
	for _, name := range []string{"web", "api"} {
		for _, dir := range []string{"objects", "refs"} {
			if err := os.MkdirAll(filepath.Join(s.root, name, ".git", dir), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(s.root, name, ".git", "HEAD"), []byte("ref: refs/heads/*main*\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(s.root, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(s.root, "away")); err != nil {
		t.Fatal(err)
	}
	folder, err := checkouts.Open(s.root, "")
	if err != nil {
		t.Fatal(err)
	}
	s.root = folder.Dir()
	s.world = newWorld(t, append([]func(*Config){func(c *Config) { c.Projects = folder }}, change...)...)
	s.directory = s.world.directory(bound)
	bindings := s.directory.query
	s.directory.query = func(name string, args []any) (any, error) {
		if name != signals.QueryWorkspace {
			return bindings(name, args)
		}
		q, _ := args[0].(signals.WorkspaceQuery)
		return signals.WorkspaceAnswer{Workspace: s.chosen[q.Channel+q.User]}, s.silent
	}
	s.directory.update = func(name string, args []any) (any, error) {
		r, ok := args[0].(signals.SwitchRequest)
		if !ok || name != signals.Switch {
			return nil, fmt.Errorf("update %s", name)
		}
		s.chosen[r.Channel+r.User] = r.Workspace
		return signals.WorkspaceAnswer{Workspace: r.Workspace}, nil
	}
	return s
}

// says handles a message of its own.
func (s *projectWorld) says(user, text string) channel.Answer {
	s.t.Helper()
	ev := says(user, text)
	s.sent++
	ev.ID = fmt.Sprint("sent-", s.sent)
	return s.handle(ev)
}

func TestProjectsList(t *testing.T) {
	t.Parallel()
	s := newProjectWorld(t)
	const plain = "- `api`, \\*main\\*\n- `notes`, no git repository\n- `web`, \\*main\\*"
	for _, user := range []string{starter, approver, commander, boss, bound} {
		for _, text := range []string{"workspaces", "/workspaces", "workspaces list", "Workspaces LIST"} {
			if a := s.says(user, text); a.Text != plain {
				t.Errorf("%s by %s: %q", text, user, a.Text)
			}
		}
	}
	s.says(boss, "workspaces switch web")
	if a := s.says(boss, "workspaces"); a.Text != plain+": **yours**" {
		t.Errorf("after a switch: %q", a.Text)
	}
	if a := s.says(starter, "workspaces"); a.Text != plain {
		t.Errorf("somebody else's: %q", a.Text)
	}
	if a := s.says(nobody, "workspaces"); strings.Contains(a.Text, "web") {
		t.Errorf("a stranger: %q", a.Text)
	}
}

func TestProjectsSwitch(t *testing.T) {
	t.Parallel()
	s := newProjectWorld(t)
	if a := s.says(starter, "workspaces switch web"); a.Text != "Your workspace is `web` now. A `run` that names no repository takes it." {
		t.Errorf("answer %q", a.Text)
	}
	u := s.server.updates[0]
	if r, _ := u.Args[0].(signals.SwitchRequest); u.WorkflowID != signals.DirectoryID || u.UpdateID != r.ID || r.By != "Ada" || r.Channel != "slack" ||
		r.User != starter || r.Workspace != "web" {
		t.Errorf("update %+v", u)
	}
	if last := s.last(); !last.Done || last.Verb != "workspaces switch" || last.Reason != "switched to web" || len(s.acts) != 2 || s.acts[0].Reason != Asked {
		t.Errorf("recorded %+v", s.acts)
	}
	if s.chosen["slack"+starter] != "web" || s.chosen["slack"+boss] != "" {
		t.Errorf("chosen %v", s.chosen)
	}
	if a := s.says(bound, `workspaces switch "notes"`); !strings.Contains(a.Text, "no git repository") || s.chosen["slack"+bound] != "notes" {
		t.Errorf("a folder: %q", a.Text)
	}
	if a := s.says(starter, "workspaces switch --none"); a.Text != "You have no workspace now." || s.chosen["slack"+starter] != "" {
		t.Errorf("none: %q, %v", a.Text, s.chosen)
	}
}

func TestProjectsSwitchAgainIsTheSameSwitch(t *testing.T) {
	t.Parallel()
	s := newProjectWorld(t)
	first := says(boss, "workspaces switch web")
	s.handle(first)
	s.says(boss, "workspaces switch api")
	s.handle(first) // delivered once more
	if s.chosen["slack"+boss] != "api" {
		t.Errorf("an old message undid a new one: %v", s.chosen)
	}
	s.server.down = serviceerror.NewUnavailable("x")
	if _, err := s.handler.Handle(t.Context(), anew(first)); fault.KindOf(err) != fault.Infra {
		t.Errorf("without a server: %v", err)
	}
}

func TestProjectsSwitchIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		user, text, says, reason string
	}{
		{approver, "workspaces switch web", "Sorry, you may not use `workspaces switch` here.", "no right to workspaces switch"},
		{commander, "workspaces switch web", "Sorry, you may not use `workspaces switch` here.", "no right to workspaces switch"},
		{boss, "workspaces switch", "The name of the workspace is missing.", "is missing"},
		{boss, "workspaces switch ../web", `Workspace "../web": a path.`, "a path"},
		{boss, "workspaces switch /etc", `Workspace "/etc": a path.`, "a path"},
		{boss, "workspaces switch ..", `Workspace "..": hidden`, "hidden"},
		{boss, "workspaces switch away", `Workspace "away" is a link`, "is a link"},
		{boss, "workspaces switch shop", `There is no workspace "shop".`, "no workspace"},
		{boss, "workspaces switch web --none", "There is a name beside --none.", "beside --none"},
		{boss, "workspaces switch web --force", "--force: unknown option of workspaces.", "unknown option"},
	} {
		s := newProjectWorld(t)
		if a := s.says(tt.user, tt.text); !strings.HasPrefix(a.Text, tt.says) || len(s.server.updates) != 0 || s.last().Done ||
			!strings.Contains(s.last().Reason, tt.reason) {
			t.Errorf("%s by %s: %q, recorded %+v", tt.text, tt.user, a.Text, s.last())
		}
	}
	s := newProjectWorld(t)
	late := says(boss, "workspaces switch web")
	late.At = now.Add(-time.Hour)
	if a := s.handle(late); !strings.Contains(a.Text, "came late") || len(s.server.updates) != 0 {
		t.Errorf("an old message: %q", a.Text)
	}
	s.record = func(Act) error { return fmt.Errorf("the disk is full") }
	if a := s.says(boss, "workspaces switch web"); !strings.Contains(a.Text, "could not be put on record") || len(s.server.updates) != 0 {
		t.Errorf("without a record: %q", a.Text)
	}
}

func TestProjectsInfo(t *testing.T) {
	t.Parallel()
	s := newProjectWorld(t)
	if a := s.says(approver, "workspaces info notes"); a.Text != "**notes**: no git repository, 0 files\n- path: "+
		(render.Markdown{Redact: s.config.Redact}).Literal(filepath.Join(s.root, "notes"), 500) {
		t.Errorf("info: %q", a.Text)
	}
	if a := s.says(boss, "workspaces info"); !strings.HasPrefix(a.Text, "You have no workspace.") {
		t.Errorf("info of none: %q", a.Text)
	}
	s.says(boss, "workspaces switch notes")
	if a := s.says(boss, "workspaces info"); !strings.HasPrefix(a.Text, "**notes**") {
		t.Errorf("info of the current one: %q", a.Text)
	}
	for text, want := range map[string]string{"workspaces info ../x": `Workspace "../x": a path.`,
		"workspaces info shop": `There is no workspace "shop".`, "workspaces frob": `Workspaces does not know "frob".`,
		"workspaces --none": "--none belongs to workspaces switch."} {
		if a := s.says(boss, text); !strings.HasPrefix(a.Text, want) {
			t.Errorf("%s: %q", text, a.Text)
		}
	}
	s.silent = serviceerror.NewQueryFailed("unknown query type")
	if a := s.says(boss, "workspaces info"); !strings.HasPrefix(a.Text, "Your workspace could not be found out.") {
		t.Errorf("a Directory that does not know the question: %q", a.Text)
	}
	text := projectText(checkouts.Info{Project: checkouts.Project{Name: "w_b", Path: "/srv/w_b", Repository: true, Branch: "main"}, Files: 3, Dirty: true,
		Commits: []checkouts.Commit{{ID: "1a2b3c4", Subject: "fix @ada *now* " + secret, Author: "[Ada](http://x)", Time: now.Add(-3 * time.Hour)}}},
		render.Markdown{Redact: s.config.Redact}, now)
	if want := "**w\\_b**: 3 tracked files, changed\n- path: /srv/w\\_b\n- branch: main\n- `1a2b3c4` fix ＠ada \\*now\\* \\[hidden\\] (\\[Ada\\](http://x), 3h ago)"; text != want {
		t.Errorf("info\n%s, want\n%s", text, want)
	}
}

func TestProjectsWithoutProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.directory()
	d.query = func(name string, _ []any) (any, error) {
		t.Errorf("the Directory is asked for %q", name)
		return nil, nil
	}
	for _, text := range []string{"workspaces", "workspaces list", "workspaces info", "workspaces switch web"} {
		if a := w.handle(says(boss, text)); a.Text != "There are no workspaces: LONGSHIFT\\_PROJECTS is not set. Set it to the folder that your projects lie in." || len(w.server.updates) != 0 {
			t.Errorf("%s: %q", text, a.Text)
		}
	}
	w.handle(anew(says(boss, "run fix it")))
	if in, _ := w.server.inputs[0].(task.Input); in.Repository != "acme/web" {
		t.Errorf("run: %+v", in)
	}
}

// TestRunInAProject: a person who switches to a project chooses it.
func TestRunInAProject(t *testing.T) {
	t.Parallel()
	for _, user := range []string{starter, boss, bound} {
		s := newProjectWorld(t)
		path := filepath.Join(s.root, "web")
		s.says(user, "run before")
		s.says(user, "workspaces switch web")
		a := s.says(user, "run fix it")
		s.says(user, "run acme/web fix it")
		s.says(user, "run fix it --repo acme/api")
		s.says(user, "workspaces switch --none")
		s.says(user, "run after")
		var got []string
		for _, input := range s.server.inputs {
			in, _ := input.(task.Input)
			mode := any("")
			if in.Config != nil {
				mode, _ = in.Config.Lookup("approval.mode")
			}
			got = append(got, fmt.Sprint(in.Repository, " ", mode))
		}
		want := []string{"acme/web ", path + " ", "acme/web ", "acme/api ", "acme/web "}
		if user == starter {
			want = []string{"acme/web ", path + " required", "acme/web ", "acme/api required", "acme/web "}
		}
		if strings.Join(got, "|") != strings.Join(want, "|") || strings.Contains(a.Text, "has to let its plan pass") != (user == starter) {
			t.Errorf("%s: %q, want %q; answer %q", user, got, want, a.Text)
		}
	}
	s := newProjectWorld(t, func(c *Config) { c.Repository = "" })
	if a := s.says(boss, "run fix it"); !strings.HasPrefix(a.Text, "The repository is missing.") {
		t.Errorf("neither a workspace nor a default: %q", a.Text)
	}
	s.says(boss, "workspaces switch web")
	if s.says(boss, "run fix it"); len(s.server.inputs) != 1 {
		t.Error("a workspace needs no default")
	}
}

func TestRunInAProjectThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for says, spoil := range map[string]func(*projectWorld) error{
		`Your workspace "web" is gone.`: func(s *projectWorld) error {
			return os.Rename(filepath.Join(s.root, "web"), filepath.Join(s.root, "old"))
		},
		`Your workspace "notes" is not a git`:       func(s *projectWorld) error { s.chosen["slack"+boss] = "notes"; return nil },
		"Your workspace can't be used: workspace":   func(s *projectWorld) error { s.chosen["slack"+boss] = "away"; return nil },
		"Your workspace could not be found out.":    func(s *projectWorld) error { s.silent = serviceerror.NewQueryFailed("x"); return nil },
		`Your workspace can't be used: workspace "`: func(s *projectWorld) error { s.chosen["slack"+boss] = "../web"; return nil },
	} {
		s := newProjectWorld(t)
		s.says(boss, "workspaces switch web")
		if err := spoil(s); err != nil {
			t.Fatal(err)
		}
		if a := s.says(boss, "run fix it"); !strings.HasPrefix(a.Text, says) || len(s.server.inputs) != 0 || s.last().Done {
			t.Errorf("%q, started %v", a.Text, s.server.inputs)
		}
		if s.says(boss, "run acme/api fix it"); len(s.server.inputs) != 1 {
			t.Errorf("%s: a repository that is named needs no workspace", says)
		}
	}
	s := newProjectWorld(t)
	s.silent = serviceerror.NewUnavailable("x")
	ev := says(boss, "run fix it")
	if _, err := s.handler.Handle(t.Context(), ev); fault.KindOf(err) != fault.Infra || len(s.server.inputs) != 0 {
		t.Errorf("nobody knows the workspace: %v", err)
	}
	s.silent = nil
	if s.handle(ev); len(s.server.inputs) != 1 {
		t.Error("it is not started when it comes again")
	}
}

// TestRunAgainIsInTheSameProject: a person switches between two deliveries of one message.
func TestRunAgainIsInTheSameProject(t *testing.T) {
	t.Parallel()
	s := newProjectWorld(t)
	ev := says(boss, "run fix it")
	first := s.handle(ev)
	s.says(boss, "workspaces switch web")
	if second := s.handle(ev); second.Text != first.Text || len(s.server.list) != 2 { // the Directory, and one task
		t.Errorf("%q, then %q", first.Text, second.Text)
	}
}

func TestProjectsInAThread(t *testing.T) {
	t.Parallel()
	s := newProjectWorld(t)
	f := s.task(task.Executing)
	if a := s.handle(replies(boss, "workspaces switch web")); !strings.HasPrefix(a.Text, "Your workspace is `web`") || len(f.got) != 0 {
		t.Errorf("a command: %q", a.Text)
	}
	for _, text := range []string{"workspaces are listed twice", "workspaces list shows too much", "workspaces info is wrong there"} {
		ev := replies(boss, text)
		ev.ID = "ev-" + strings.ReplaceAll(text, " ", "-")
		before := len(f.got)
		if s.handle(ev); len(f.got) != before+1 {
			t.Errorf("%q is no message to the task: %v", text, f.got)
		}
	}
}

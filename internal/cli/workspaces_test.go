package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/checkouts"
)

// spaces is a folder with a repository "web", one "api" and a plain folder "notes".
func spaces(t *testing.T) (c *console, root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"web", "api", "notes"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c = newConsole(t, "LONGSHIFT_PROJECTS="+root)
	for _, name := range []string{"web", "api"} {
		c.git(filepath.Join(root, name), "init", "-q", "-b", "main")
		c.git(filepath.Join(root, name), "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-q", "--allow-empty", "-m", "first of "+name)
	}
	return c, root
}

func (c *console) git(dir string, args ...string) {
	c.T.Helper()
	if _, err := c.factory().git.Run(c.T.Context(), dir, args...); err != nil {
		c.T.Fatalf("git %v: %v", args, err)
	}
}

// said is what one more command prints.
func (c *console) said(want int, args ...string) (out, errs string) {
	c.T.Helper()
	o, e := len(c.Out.String()), len(c.Errs.String())
	if code := c.run(args...); code != want {
		c.T.Errorf("%v ends with %d, want %d: %s", args, code, want, c.Errs.String()[e:])
	}
	return c.Out.String()[o:], c.Errs.String()[e:]
}

func TestWorkspaces(t *testing.T) {
	c, root := spaces(t)
	const listed = "WORKSPACE  KIND           BRANCH\napi        git            main\nnotes      no repository  -\nweb        git            main"
	if out, _ := c.said(0, "workspaces", "list"); out != listed+"\n" {
		t.Errorf("list:\n%s", out)
	}
	if out, _ := c.said(0, "workspaces", "switch", "web"); out != "workspace web: "+filepath.Join(root, "web")+"\n" {
		t.Errorf("switch: %q", out)
	}
	if out, _ := c.said(0, "workspaces"); out != listed+"    current\n" {
		t.Errorf("list:\n%s", out)
	}
	var rows []workspaceRow
	if out, _ := c.said(0, "workspaces", "list", "-o", "json"); json.Unmarshal([]byte(out), &rows) != nil || len(rows) != 3 || !rows[2].Current ||
		rows[0].Current || rows[2].Branch != "main" {
		t.Errorf("json: %s", out)
	}
	if out, _ := c.said(0, "workspaces", "list", "-o", "jsonl"); strings.Count(out, "\n") != 3 {
		t.Errorf("jsonl: %s", out)
	}
	out, _ := c.said(0, "workspaces", "info")
	for _, want := range []string{"web\n", "path    " + filepath.Join(root, "web"), "branch  main", "state   clean", "files   0 tracked files",
		"first of web", "Ada"} {
		if !strings.Contains(out, want) {
			t.Errorf("info without %q:\n%s", want, out)
		}
	}
	var info checkouts.Info
	if out, _ := c.said(0, "workspaces", "info", "api", "-o", "json"); json.Unmarshal([]byte(out), &info) != nil || info.Name != "api" || len(info.Commits) != 1 {
		t.Errorf("info as JSON: %s", out)
	}
	if out, _ := c.said(0, "workspaces", "info", "notes"); !strings.Contains(out, "0 files, no git repository") {
		t.Errorf("info of a folder: %s", out)
	}
	if _, errs := c.said(0, "workspaces", "switch", "notes"); !strings.Contains(errs, "no task can run in it") {
		t.Errorf("switch to a folder: %s", errs)
	}
	if out, _ := c.said(0, "workspaces", "switch", "--none"); out != "no workspace is chosen\n" {
		t.Errorf("none: %s", out)
	}
	if _, errs := c.said(2, "workspaces", "info"); !strings.Contains(errs, "no workspace is chosen") {
		t.Errorf("info of none: %s", errs)
	}
}

func TestWorkspacesRefuse(t *testing.T) {
	c, root := spaces(t)
	if err := os.Symlink("/etc", filepath.Join(root, "away")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		code int
		says string
		args []string
	}{
		{2, "a path", []string{"switch", "../web"}},
		{2, "a path", []string{"info", "/etc"}},
		{2, "hidden, or leads elsewhere", []string{"switch", ".."}},
		{2, "is a link", []string{"switch", "away"}},
		{2, "is missing", []string{"switch"}},
		{2, "is missing", []string{"info", ""}},
		{2, "unexpected argument", []string{"switch", "web", "--none"}},
		{2, "unexpected argument", []string{"lst"}},
		{3, `no workspace "shop"`, []string{"switch", "shop"}},
	} {
		if _, errs := c.said(tt.code, append([]string{"workspaces"}, tt.args...)...); !strings.Contains(errs, tt.says) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %s", tt.args, errs)
		}
	}
	if current, err := c.choices().Read(); err != nil || current.Workspace != "" {
		t.Errorf("chosen: %+v, %v", current, err)
	}
	bare := newConsole(t)
	for _, args := range [][]string{{"workspaces"}, {"workspaces", "list"}, {"workspaces", "switch", "web"}, {"workspaces", "info"}} {
		if _, errs := bare.said(2, args...); errs != "longshift: there are no workspaces: LONGSHIFT_PROJECTS is not set; set it to the folder that your projects lie in\n" {
			t.Errorf("%v: %q", args, errs)
		}
	}
}

func TestCurrentWorkspace(t *testing.T) {
	c, root := spaces(t)
	taken := func(given string) (string, string, error) {
		before := len(c.Errs.String())
		path, err := c.factory().repositories.Find(t.Context(), given)
		return path, c.Errs.String()[before:], err
	}
	if _, _, err := taken(""); err == nil || !strings.Contains(err.Error(), "is not in a git repository") {
		t.Errorf("none is chosen: %v", err)
	}
	c.said(0, "workspaces", "switch", "web")
	web := filepath.Join(root, "web")
	if path, said, err := taken(""); path != web || err != nil || said != "in the current workspace web ("+web+")\n" {
		t.Errorf("outside of any repository: %q, %q, %v", path, said, err)
	}
	if path, said, err := taken("acme/shop"); path != "acme/shop" || said != "" || err != nil {
		t.Errorf("--repo: %q, %q, %v", path, said, err)
	}
	elsewhere := c.Dir
	c.Dir = filepath.Join(root, "api")
	if path, said, err := taken(""); path != c.Dir || said != "" || err != nil {
		t.Errorf("in a repository: %q, %q, %v", path, said, err)
	}
	broken := filepath.Join(t.TempDir(), "broken")
	c.git("/", "init", "-q", broken)
	if err := os.WriteFile(filepath.Join(broken, ".git", "config"), []byte("[core\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Dir = broken
	if path, _, err := taken(""); path != "" || err == nil {
		t.Errorf("in a repository that git can't read: %q, %v", path, err)
	}
	c.Dir = elsewhere
	for name, spoil := range map[string]func(){
		"read the current": func() {
			if err := os.WriteFile(stateFile(t, c), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"is another folder now": func() { c.choose(repository.Chosen{Projects: "/srv/other", Workspace: "web"}) },
		"a path":                func() { c.choose(repository.Chosen{Projects: root, Workspace: "../web"}) },
		"not a git repository":  func() { c.choose(repository.Chosen{Projects: root, Workspace: "notes"}) },
	} {
		spoil()
		if path, _, err := taken(""); path != "" || err == nil || !strings.Contains(err.Error(), name) || fault.HintOf(err) == "" {
			t.Errorf("%s: %q, %v", name, path, err)
		}
	}
	c.choose(repository.Chosen{Projects: root, Workspace: "web"})
	if err := os.Rename(web, web+"-old"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := taken(""); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), `"web" is gone`) ||
		!strings.Contains(fault.HintOf(err), "--none") {
		t.Errorf("gone: %v", err)
	}
	if err := os.Symlink(web+"-old", web); err != nil {
		t.Fatal(err)
	}
	if _, _, err := taken(""); fault.KindOf(err) != fault.Input || !strings.Contains(err.Error(), "is a link") {
		t.Errorf("a link: %v", err)
	}
	c.Vars = append(c.Vars, "LONGSHIFT_PROJECTS=")
	if _, _, err := taken(""); err == nil || !strings.Contains(err.Error(), "is not in a git repository") {
		t.Errorf("without projects: %v", err)
	}
}

func (c *console) choose(to repository.Chosen) {
	c.T.Helper()
	if err := c.choices().Write(to); err != nil {
		c.T.Fatal(err)
	}
}

func stateFile(t *testing.T, c *console) string {
	t.Helper()
	path, err := c.choices().File()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestChosenFile(t *testing.T) {
	c, root := spaces(t)
	state := t.TempDir()
	c.Vars = append(c.Vars, "XDG_STATE_HOME="+state)
	c.said(0, "workspaces", "switch", "web")
	c.said(0, "workspaces", "switch", "api")
	info, err := os.Stat(filepath.Join(state, "longshift", "workspace.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	entries, err := os.ReadDir(filepath.Join(state, "longshift"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if got, err := c.choices().Read(); err != nil || got != (repository.Chosen{Projects: root, Workspace: "api"}) {
		t.Errorf("%+v, %v", got, err)
	}
	c.Vars = append(c.Vars, "XDG_STATE_HOME=relative", "HOME=", "LONGSHIFT_DATA="+t.TempDir())
	if _, errs := c.said(2, "workspaces", "switch", "web"); !strings.Contains(errs, "neither XDG_STATE_HOME nor HOME") {
		t.Errorf("without a home: %s", errs)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.Vars = append(c.Vars, "XDG_STATE_HOME="+file)
	if _, errs := c.said(1, "workspaces", "switch", "web"); !strings.Contains(errs, "keep the current workspace") {
		t.Errorf("where nothing can be written: %s", errs)
	}
}

package checkouts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

// repo runs git as a user would, in a folder.
func repo(t *testing.T, dir string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		cmd := exec.Command("git", strings.Fields(line)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", line, err, out)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

// projects makes a folder with a repository "web", an empty one "new", a bare one "origin.git", a plain folder "notes", and
// other files that are not projects.
func projects(t *testing.T) (root string, f *Folder) {
	t.Helper()
	root = t.TempDir()
	for _, name := range []string{"web", "new", "notes", "origin.git", ".hidden"} {
		if err := os.Mkdir(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	web := filepath.Join(root, "web")
	repo(t, web, "init -q -b main")
	for _, subject := range []string{"one", "two", "three", "four", "five", "six"} {
		write(t, filepath.Join(web, "dir", subject), subject)
		repo(t, web, "add .", "commit -q -m "+subject)
	}
	repo(t, filepath.Join(root, "new"), "init -q -b trunk")
	repo(t, root, "clone -q --bare web origin.git")
	write(t, filepath.Join(root, "notes", "a"), "")
	write(t, filepath.Join(root, "notes", "deep", "b"), "")
	link(t, "/etc", filepath.Join(root, "notes", "etc"))
	write(t, filepath.Join(root, "file"), "")
	outside := t.TempDir()
	repo(t, outside, "init -q -b secret")
	link(t, outside, filepath.Join(root, "away"))
	link(t, "web", filepath.Join(root, "alias"))
	link(t, "/nowhere", filepath.Join(root, "dangling"))
	f, err := Open(root, "")
	if err != nil {
		t.Fatal(err)
	}
	return root, f
}

func TestList(t *testing.T) {
	t.Parallel()
	_, f := projects(t)
	all, err := f.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Project{
		{Name: "new", Repository: true, Branch: "trunk"}, {Name: "notes"}, {Name: "origin.git", Repository: true, Bare: true, Branch: "main"},
		{Name: "web", Repository: true, Branch: "main"},
	}
	for i := range want {
		want[i].Path = filepath.Join(f.Dir(), want[i].Name)
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Error(diff)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	root, f := projects(t)
	for name, want := range map[string]struct {
		kind fault.Kind
		says string
	}{
		"":                         {fault.Input, "is missing"},
		".":                        {fault.Input, "hidden, or leads elsewhere"},
		"..":                       {fault.Input, "hidden, or leads elsewhere"},
		".hidden":                  {fault.Input, "hidden, or leads elsewhere"},
		"../web":                   {fault.Input, "a path"},
		"web/..":                   {fault.Input, "a path"},
		"web/":                     {fault.Input, "a path"},
		"web/dir":                  {fault.Input, "a path"},
		"./web":                    {fault.Input, "a path"},
		"/etc":                     {fault.Input, "a path"},
		filepath.Join(root, "web"): {fault.Input, "a path"},
		`..\web`:                   {fault.Input, "a path"},
		`C:\web`:                   {fault.Input, "a path"},
		"web\x00":                  {fault.Input, "nobody can read"},
		"web\x00/../..":            {fault.Input, "a path"},
		"we\nb":                    {fault.Input, "nobody can read"},
		"we\u202eb":                {fault.Input, "nobody can read"},
		"we\u200bb":                {fault.Input, "nobody can read"},
		"\xff":                     {fault.Input, "nobody can read"},
		" web":                     {fault.Input, "a space"},
		"web ":                     {fault.Input, "a space"},
		strings.Repeat("w", 300):   {fault.Input, "longer than"},
		"away":                     {fault.Input, "is a link"},
		"alias":                    {fault.Input, "is a link"},
		"dangling":                 {fault.Input, "is a link"},
		"file":                     {fault.Input, "is not a folder"},
		"nothing":                  {fault.NotFound, `no workspace "nothing"`},
		"Web":                      {fault.NotFound, `no workspace "Web"`},
		"~":                        {fault.NotFound, `no workspace "~"`},
		"-rf":                      {fault.NotFound, `no workspace "-rf"`},
	} {
		_, found := f.Find(name)
		_, shown := f.Info(t.Context(), name)
		for _, err := range []error{found, shown} {
			if err == nil || fault.KindOf(err) != want.kind || !strings.Contains(err.Error(), want.says) || strings.Contains(err.Error(), "\n") ||
				fault.HintOf(err) == "" {
				t.Errorf("%q: %v (%s)", name, err, fault.KindOf(err))
			}
		}
	}
	if p, err := f.Find("web"); err != nil || p.Path != filepath.Join(f.Dir(), "web") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	root, f := projects(t)
	at := filepath.Join(t.TempDir(), "link")
	link(t, root, at)
	byLink, err := Open(at, "")
	if err != nil {
		t.Fatal(err)
	}
	if p, err := byLink.Find("web"); err != nil || p.Path != filepath.Join(f.Dir(), "web") {
		t.Errorf("through a link: %+v, %v", p, err)
	}
	for dir, says := range map[string]string{"": "not an absolute path", "projects": "not an absolute path",
		"/no/such/folder": "no such folder", filepath.Join(root, "file"): "not a folder"} {
		if _, err := Open(dir, ""); fault.KindOf(err) != fault.Input || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), Variable) {
			t.Errorf("%q: %v", dir, err)
		}
	}
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if _, err := f.List(t.Context()); fault.KindOf(err) != fault.NotFound {
		t.Errorf("the folder is gone: %v", err)
	}
	if err := NotSet(); fault.KindOf(err) != fault.Input || !strings.Contains(err.Error(), Variable) {
		t.Error(err)
	}
}

package backlog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsWork(t *testing.T) {
	p := newPlace(t, map[string]string{
		"plain.md": "a", "UPPER.MD": "a", "with space.md": "a", "naïve 日本.md": "a", "a: b?.md": "a", "x.md.md": "a", "empty.md": "", "blank.md": " \n\t\n",
		".md": "a", ".hidden.md": "a", "-x.md": "a", "new\nline.md": "a", "tab\t.md": "a", "bad\xff.md": "a", "turned\u202e.md": "a",
		"notes.txt": "a", "md": "a", "x.mdx": "a", "x.md~": "a", ".x.md.swp": "a", "sub/deep.md": "a", "back\\slash.md": "a",
	})
	outside := filepath.Join(t.TempDir(), "secret.md")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"out.md": outside, "in.md": "plain.md", "up.md": "../README.md", "lost.md": "nowhere"} {
		if err := os.Symlink(to, p.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(p.path("pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.path("folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.listed("UPPER.MD", "a: b?.md", "naïve 日本.md", "plain.md", "with space.md", "x.md.md")
	for _, key := range []string{"out.md", "in.md", "up.md", "lost.md", "pipe.md", "folder.md", "sub", "sub/deep.md", ".hidden.md",
		"notes.txt", "new\nline.md", "-x.md"} {
		_, err := p.Read(t.Context(), p.q, key)
		if k := fault.KindOf(err); k != fault.NotFound && k != fault.Input {
			t.Errorf("Read %q: %v", key, err)
		}
		n := intake.Note{TaskID: "t1", Sum: "x", Outcome: task.PullRequest}
		if err := p.Report(t.Context(), p.q, key, n); err == nil {
			t.Errorf("Report %q went well", key)
		}
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "secret" {
		t.Errorf("the file outside: %q, %v", data, err)
	}
	for _, key := range []string{"UPPER.MD", "a: b?.md", "naïve 日本.md", "with space.md"} {
		p.report(key, p.claim(key, "t1"), task.PullRequest)
		p.says(key, "")
	}
	p.listed("plain.md", "x.md.md")
}

// TestLongName: a name that a task could not begin with is refused before a task is made of it.
func TestLongName(t *testing.T) {
	fits, long := strings.Repeat("a", task.MaxKey-len(".md"))+".md", strings.Repeat("日", 70)+".md"
	p := newPlace(t, map[string]string{fits: order, long: order})
	p.listed(fits, long)
	if w := p.read(fits); w.No != "" {
		t.Errorf("%d bytes: %s", len(fits), w.No)
	}
	w := p.read(long)
	if !strings.Contains(w.No, "give it a shorter name") || w.Task != "" {
		t.Errorf("%d bytes: %+v", len(long), w)
	}
	kindOf(t, p.Claim(t.Context(), p.q, long, intake.Note{TaskID: "t1", Sum: w.Sum}), fault.Conflict)
}

func TestIDs(t *testing.T) {
	long := strings.Repeat("long-", 48)
	p := newPlace(t, map[string]string{"a-b.md": "a", "a b.md": "a", "A-B.md": "a", "a_b.md": "a", "日本.md": "a", "中国.md": "a",
		long + "1.md": "a", long + "2.md": "a"})
	seen := map[string]bool{}
	var first string
	err := p.List(t.Context(), p.q, func(i intake.Item) bool {
		if seen[i.ID] || len(i.ID) > 200 || !strings.HasPrefix(i.ID, "backlog:repo-") || !strings.HasSuffix(i.ID, ":"+i.Sum[:8]) {
			t.Errorf("id %q of %q, sum %q", i.ID, i.Key, i.Sum)
		}
		seen[i.ID] = true
		if i.Key == "a-b.md" {
			first = i.ID
		}
		return true
	})
	if err != nil || len(seen) != 8 || !strings.Contains(first, ":a-b:") {
		t.Errorf("%d ids, %q, %v", len(seen), first, err)
	}
	link := filepath.Join(t.TempDir(), "other-name")
	if err := os.Symlink(p.repo, link); err != nil {
		t.Fatal(err)
	}
	p.q.Repository.Path = link // another name of the same place
	if id := p.read("a-b.md").ID; id != first {
		t.Errorf("id %q by one name, %q by another", first, id)
	}
}

func TestOtherFolder(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	gittest.Write(t, p.repo, map[string]string{"docs/todo/1.md": order})
	id := p.read("1.md").ID
	n := p.claim("1.md", "t1")
	p.q.Path = "docs/todo/"
	if other := p.listed("1.md")[0].ID; other == id {
		t.Errorf("two folders share the id %q", id)
	}
	p.q.Path = "./backlog"
	p.listed()
	p.q.Path = ""
	p.report("1.md", n, task.PullRequest)
	p.q.Path = "not/there"
	p.listed()
}

func TestWrongPlaces(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	bare := gittest.NewBare(t, map[string]string{"backlog/1.md": order})
	if err := os.Symlink("backlog", filepath.Join(p.repo, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(p.repo, "root")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		repo task.Repository
		path string
		want fault.Kind
		hint string
	}{
		{task.Repository{Text: bare, Path: bare}, "", fault.Input, "work tree"},
		{task.Repository{Text: "octo/hello", Owner: "octo", Name: "hello"}, "", fault.Input, "absolute path"},
		{task.Repository{Text: "x", Path: "relative"}, "", fault.Input, "absolute path"},
		{task.Repository{Text: "x", Path: filepath.Join(p.repo, "nothing")}, "", fault.NotFound, "work tree"},
		{task.Repository{Text: "x", Path: t.TempDir()}, "", fault.NotFound, "work tree"},
		{p.q.Repository, "../x", fault.Input, "relative"},
		{p.q.Repository, "/etc", fault.Input, "relative"},
		{p.q.Repository, ".git", fault.Input, "outside of .git"},
		{p.q.Repository, "x/.GIT/hooks", fault.Input, "outside of .git"},
		{p.q.Repository, "a\x00b", fault.Input, "relative"},
		{p.q.Repository, "linked", fault.Denied, "folder that it leads to"},
		{p.q.Repository, "root/etc", fault.Denied, "folder that it leads to"},
		{p.q.Repository, "README.md", fault.Input, ""},
	} {
		q := intake.Query{Repository: c.repo, Path: c.path}
		err := p.List(t.Context(), q, func(intake.Item) bool { return true })
		if fault.KindOf(err) != c.want || !strings.Contains(fault.HintOf(err), c.hint) {
			t.Errorf("%s %q: %v (%s), hint %q", c.repo.Text, c.path, err, fault.KindOf(err), fault.HintOf(err))
		}
		for _, do := range []func(context.Context, intake.Query, string, intake.Note) error{p.Queue, p.Claim, p.Report} {
			if err := do(t.Context(), q, "1.md", intake.Note{TaskID: "t1", Sum: "x"}); fault.KindOf(err) != c.want {
				t.Errorf("%s %q: %v (%s)", c.repo.Text, c.path, err, fault.KindOf(err))
			}
		}
	}
}

func TestText(t *testing.T) {
	for name, c := range map[string]struct{ text, title, no string }{
		"heading":        {"intro\n\n## The *title* ##\n", "The *title*", ""},
		"no heading":     {"\n\n  first line\nsecond\n", "first line", ""},
		"heading's sign": {"#hashtag\n", "#hashtag", ""},
		"in code":        {"words\n```sh\n# comment\n```\n# Title\n", "Title", ""},
		"CRLF":           {"# Title\r\n\r\ntext\r\n", "Title", ""},
		"mark":           {"\ufeff# Title\n", "Title", ""},
		"hidden":         {"# Ti\u200btle\x1b[31m\n", "Title[31m", ""},
		"full":           {strings.Repeat("x", task.MaxTask), strings.Repeat("x", maxTitle-3) + "…", ""},
		"long":           {strings.Repeat("x", task.MaxTask+1), strings.Repeat("x", maxTitle-3) + "…", "at most"},
		"huge":           {strings.Repeat("x", 3<<20), strings.Repeat("x", maxTitle-3) + "…", "at most"},
		"not UTF-8":      {"# a\n\xff\n", "a", "UTF-8"},
		"zero":           {"# a\n\x00\n", "a", "UTF-8"},
		"empty":          {"", "", "empty"},
		"blank":          {" \r\n\t", "", "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, map[string]string{"1.md": c.text})
			w := p.read("1.md")
			if w.Title != c.title || (c.no == "") != (w.No == "") || !strings.Contains(w.No, c.no) || w.Issue != nil {
				t.Errorf("title %q, no %q", w.Title, w.No)
			}
			if want := map[bool]string{true: c.text}[c.no == ""]; w.Task != want {
				t.Errorf("task of %d bytes, want %d", len(w.Task), len(want))
			}
			if c.no != "" {
				kindOf(t, p.Claim(t.Context(), p.q, "1.md", intake.Note{TaskID: "t1", Sum: w.Sum}), fault.Conflict)
				if _, err := os.Stat(p.path("1.md")); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestManyFiles(t *testing.T) {
	const many = 5000
	p := newPlace(t, nil)
	if err := os.Mkdir(filepath.Join(p.repo, "backlog"), 0o755); err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range many {
		name := fmt.Sprintf("%04d.md", i)
		if err := os.WriteFile(p.path(name), fmt.Appendf(nil, "# Piece %d\n", i), 0o644); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	p.listed(want...)
	p.report("0000.md", p.claim("0000.md", "t1"), task.PullRequest)
	p.claim("4999.md", "t2")
	p.listed(want[1 : many-1]...)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := p.List(ctx, p.q, func(intake.Item) bool { n++; cancel(); return true })
	if err != context.Canceled || n != 1 {
		t.Errorf("%d visited after the end of the context, %v", n, err)
	}
}

package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

func TestPaths(t *testing.T) {
	c := plainConfig()
	c.Protected = []string{"deploy/**", "*.lock", "infra/prod.tf"}
	c.Readable = []string{"/opt/toolchain", "/root/go/pkg/mod"}
	p := newPolicy(t, c)
	open := newPolicy(t, openConfig())
	for _, x := range []struct {
		path   string
		access Access
		want   Verdict
	}{
		{"src/a.go", Read, Allow}, {"src/a.go", Write, Allow}, {root + "/src/a.go", Write, Allow}, {"./src/../src/a.go", Read, Allow},
		{"src/../src/a.go", Write, Ask}, {"../x", Read, Ask}, {"../x", Write, Deny}, {"/etc/passwd", Read, Ask}, {"/etc/shadow", Read, Deny},
		{"/etc/passwd", Write, Deny}, {root + "2/x", Write, Deny}, {root + "/../x", Write, Deny}, {root, Write, Allow}, {root, Remove, Deny},
		{".git/config", Write, Deny}, {".git/config", Read, Ask}, {".GIT/config", Write, Deny}, {"sub/.git/HEAD", Write, Deny}, {".git ", Write, Deny}, {"git~1/x", Write, Deny},
		{".github/workflows/ci.yml", Read, Allow}, {".github/workflows/ci.yml", Write, Ask}, {"CLAUDE.md", Write, Ask}, {"claude.MD", Write, Ask}, {"docs/AGENTS.md", Write, Ask},
		{".env", Read, Deny}, {".env.production", Read, Deny}, {".env.example", Read, Allow}, {".env", Write, Allow}, {"config/id_rsa", Read, Deny}, {"id_rsa.pub", Read, Allow},
		{"certs/server.pem", Read, Ask}, {"testdata/server.pem", Read, Allow}, {"terraform.tfstate", Read, Ask},
		{"deploy/x", Write, Deny}, {"deploy", Write, Deny}, {"deploy/x", Read, Allow}, {"yarn.lock", Write, Deny}, {"web/yarn.lock", Write, Allow}, {"infra/prod.tf", Write, Deny}, {"infra", Remove, Deny}, {"src", Remove, Ask},
		{"/opt/toolchain/x.h", Read, Allow}, {"/opt/toolchain/x.h", Write, Deny}, {"/opt/toolchain/bin/x", Execute, Deny}, {"/root/go/pkg/mod/x/y.go", Read, Allow}, {"/root/.ssh/id_rsa", Read, Deny},
		{"/usr/include/stdio.h", Read, Allow}, {"/proc/1/environ", Read, Deny}, {"/proc/cpuinfo", Read, Allow}, {"/dev/null", Write, Allow}, {"/dev/sda", Write, Deny}, {"/dev/mem", Read, Deny},
		{"/tmp/x", Write, Ask}, {"/tmp/x", Execute, Deny}, {"~/.ssh/id_rsa", Read, Deny}, {"~/x", Write, Deny}, {"~root/x", Read, Deny}, {home + "/.bashrc", Write, Deny},
		{"-rf", Write, Ask}, {"a\nb", Write, Deny}, {"a\u202eb", Read, Deny}, {".g\u0456t/config", Write, Ask}, {"scripts/x.sh", Execute, Allow}, {".git/hooks/x", Execute, Deny},
	} {
		if d := p.Decide(Request{Role: task.Implementer, Path: x.path, Access: x.access}); d.Verdict != x.want {
			t.Errorf("%s %q: %+v, want %s", x.access, x.path, d, x.want)
		}
	}
	for _, x := range []struct {
		path   string
		access Access
		want   Verdict
	}{{"/tmp/x", Write, Allow}, {"/tmp/../etc/x", Write, Deny}, {"/tmp", Remove, Deny}, {"/tmp/x", Remove, Allow}, {"/tmp/x", Execute, Deny}, {"/var/tmp/x", Write, Deny}, {"src", Remove, Allow}} {
		if d := open.Decide(Request{Role: task.Implementer, Path: x.path, Access: x.access}); d.Verdict != x.want {
			t.Errorf("open: %s %q: %+v, want %s", x.access, x.path, d, x.want)
		}
	}
	for _, r := range []Request{{Role: task.Implementer, Path: "a", Access: "list"}, {Role: task.Implementer, Path: "a"}, {Role: task.Implementer, Path: "a", Access: Read, Command: "ls"},
		{Role: task.Implementer, Path: "a", Access: Read, Dir: "src"}, {Role: task.Implementer}} {
		if d := p.Decide(r); d.Verdict != Deny {
			t.Errorf("%+v: %+v, want a denial", r, d)
		}
	}
}

func TestWorkingFolder(t *testing.T) {
	p := newPolicy(t, plainConfig())
	for _, x := range []struct {
		dir, command string
		want         Verdict
	}{
		{root + "/src", "cat ../README.md", Allow}, {root + "/src", "cat ../../x", Ask}, {root + "/src", "echo x > ../../x", Deny}, {root, "ls", Allow},
		{"/etc", "ls", Ask}, {"src", "ls", Deny}, {root + "/.git", "touch x", Deny}, {root + "/a/b", "cd ../.. && ls", Allow}, {root + "/a/b", "cd ../../.. && ls", Ask},
	} {
		if d := p.Decide(Request{Role: task.Implementer, Dir: x.dir, Command: x.command}); d.Verdict != x.want {
			t.Errorf("%s: %q: %+v, want %s", x.dir, x.command, d, x.want)
		}
	}
}

func TestTaskWritable(t *testing.T) {
	c := openConfig()
	c.Scopes = map[task.Role]Scope{task.Implementer: {ReadOnly: []string{".github/**"}, TaskWritable: []string{"CHANGELOG.md", "db/**"}, Named: []string{"db/2.sql", "db/*"}}}
	p := newPolicy(t, c)
	for command, want := range map[string]Verdict{
		"cat CHANGELOG.md db/1.sql": Allow, "touch src/a.go": Allow, "touch db/2.sql": Allow, "cd db && echo x >> 2.sql": Allow,
		"touch CHANGELOG.md": Deny, "touch db/1.sql": Deny, "rm -rf db": Deny, "sed -i s/a/b/ db/*.sql": Deny, "touch .github/x.yml": Deny, "mv db/2.sql db/3.sql": Deny,
	} {
		if d := decide(p, command); d.Verdict != want {
			t.Errorf("%q: %+v, want %s", command, d, want)
		}
	}
	for path, rule := range map[string]string{"db/1.sql": "scope.task_writable", "db/2.sql": "allowed", ".github/x": "scope.read_only", "CLAUDE.md": "allowed"} {
		if d := p.Changeable(task.Implementer, path); d.Rule != rule {
			t.Errorf("%s: %+v, want %s", path, d, rule)
		}
	}
}

func TestScopes(t *testing.T) {
	c := openConfig()
	c.Scopes = map[task.Role]Scope{
		task.Implementer: {Write: []string{"src/**", "docs/*.md", "go.mod"}, ReadOnly: []string{"src/vendor"}, Ignore: []string{"private/**", "**/*.secret"}},
		task.Planner:     {Ignore: []string{"big"}},
	}
	p := newPolicy(t, c)
	for command, want := range map[string]Verdict{
		"cat README.md": Allow, "touch src/a.go": Allow, "touch src/a/b/c.go": Allow, "touch README.md": Deny, "touch docs/a.md": Allow, "touch docs/a/b.md": Deny, "touch docs/x.txt": Deny,
		"touch src/vendor/a": Deny, "cat src/vendor/a": Allow, "cat private/x": Deny, "cat src/x.secret": Deny, "cat a/b/c.secret": Deny, "ls private": Allow, "cp private/x src/y": Deny,
		"echo x > go.mod": Allow, "echo x > go.sum": Deny, "cd src && touch a": Allow, "cd docs && touch ../README.md": Deny, "sed -i s/a/b/ src/*.go": Allow, "sed -i s/a/b/ src/v*": Deny, "sed -i s/a/b/ src/*": Deny, "sed -i s/a/b/ src/lib/*.go": Allow,
		"sed -i s/a/b/ *.go": Deny, "git ls-files | xargs sed -i s/a/b/": Deny, "rm -rf src": Deny, "rm -rf src/lib": Allow, "mv src/a.go README.md": Deny, "mv src/a.go src/b.go": Allow, "cat big": Allow,
	} {
		if d := decide(p, command); d.Verdict != want {
			t.Errorf("%q: %+v, want %s", command, d, want)
		}
	}
	if d := p.Decide(Request{Role: task.Planner, Command: "cat big/x"}); d.Verdict != Deny || d.Rule != "scope.ignore" {
		t.Errorf("a planner reads what it should ignore: %+v", d)
	}
}

// TestNamesAreNoPatterns: a file whose name holds characters of globs is judged as that file.
func TestNamesAreNoPatterns(t *testing.T) {
	const page = "src/pages/[slug].tsx"
	for name, scope := range map[string]Scope{
		"write": {Write: []string{"src/**/*.tsx"}}, "another is read-only": {ReadOnly: []string{"src/pages/index.tsx"}},
		"named": {TaskWritable: []string{"src/pages/**"}, Named: []string{page}}, "star": {Write: []string{"src/*"}},
	} {
		c := openConfig()
		c.Scopes = map[task.Role]Scope{task.Implementer: scope}
		p := newPolicy(t, c)
		if d := p.Changeable(task.Implementer, page); d.Verdict != Allow {
			t.Errorf("%s: at the commit: %+v", name, d)
		}
		input := json.RawMessage(`{"file_path":"` + c.Root + "/" + page + `"}`)
		if d := p.Decide(Request{Role: task.Implementer, Tool: "Edit", Input: input}); d.Verdict != Allow {
			t.Errorf("%s: by a tool: %+v", name, d)
		}
	}
	c := openConfig()
	c.Scopes = map[task.Role]Scope{task.Implementer: {ReadOnly: []string{"src/pages/\\[slug].tsx", "lib/*"}}}
	p := newPolicy(t, c)
	for _, closed := range []string{page, "lib/[a].go", "lib/a/b.go"} {
		if d := p.Changeable(task.Implementer, closed); d.Verdict != Deny || !strings.Contains(d.Reason, closed) {
			t.Errorf("%s: %+v", closed, d)
		}
	}
}

package policy

import (
	"encoding/json"
	"testing"

	"github.com/longshift/longshift/task"
)

func TestPages(t *testing.T) {
	c := plainConfig()
	c.Pages, c.Alone = []string{"docs.example", "go.example/ref"}, true
	p := newPolicy(t, c)
	for address, want := range map[string]Verdict{
		"https://docs.example": Allow, "https://docs.example/": Allow, "https://docs.example/a?b=c#d": Allow, "https://DOCS.example:443/a": Allow, "https://go.example/ref": Allow,
		"https://go.example/ref/x": Allow, "https://go.example/other": Deny, "https://go.example/reference": Deny, "https://go.example/ref/../x": Deny, "https://go.example/ref/%2e%2e/x": Deny,
		"http://docs.example/a": Deny, "https://docs.example:8443/a": Deny, "https://a@docs.example/": Deny, "https://docs.example@evil.example/": Deny, "https://docs.example.evil.example/": Deny,
		"https://evil-docs.example/": Deny, "https://a.docs.example/": Deny, `https://docs.example\\@evil.example/`: Deny, "https:docs.example/a": Deny, "file:///etc/passwd": Deny, "": Deny,
	} {
		in, _ := json.Marshal(map[string]string{"url": address, "prompt": "x"})
		if d := p.Decide(Request{Role: task.Planner, Tool: "WebFetch", Input: in}); d.Verdict != want {
			t.Errorf("%s: %+v, want %s", address, d, want)
		}
	}
	for _, in := range []string{"", "[]", `{"url":7}`, `{"url":null}`, `{}`, `{"URL":"https://docs.example/"}`,
		`{"url":"https://evil.example/","URL":"https://docs.example/"}`, `{"Url":"https://evil.example/","url":"https://docs.example/"}`} {
		if d := p.Decide(Request{Role: task.Planner, Tool: "WebFetch", Input: json.RawMessage(in)}); d.Verdict != Deny {
			t.Errorf("%q: %+v", in, d)
		}
	}
	for _, tool := range []string{"Agent", "Task"} {
		if d := p.Decide(Request{Role: task.Implementer, Tool: tool, Input: json.RawMessage(`{}`)}); d.Rule != "tool.task" {
			t.Errorf("%s: %+v", tool, d)
		}
	}
}

func TestTools(t *testing.T) {
	p := newPolicy(t, plainConfig())
	for _, x := range []struct {
		tool, input string
		want        Verdict
		planner     Verdict
	}{
		{"Read", `{"file_path":"/work/tree/a.go"}`, Allow, Allow},
		{"Read", `{"file_path":"a.go","offset":3}`, Allow, Allow},
		{"Read", `{"filePath":"a.go"}`, Allow, Allow},
		{"Read", `{"path":"a.go"}`, Allow, Allow},
		{"Read", `{"path":"a.go","file_path":"/etc/shadow"}`, Deny, Deny},
		{"Read", `{"file_path":"/etc/passwd"}`, Ask, Ask},
		{"Read", `{"file_path":"/proc/self/environ"}`, Deny, Deny},
		{"Read", `{"file_path":"/dev/stdin/../../etc/shadow"}`, Deny, Deny},
		{"Read", `{"file_path":"../x"}`, Ask, Ask},
		{"Read", `{"file_path":".env"}`, Deny, Deny},
		{"Read", `{"file_path":"~/.ssh/id_rsa"}`, Deny, Deny},
		{"Read", `{"file_path":""}`, Deny, Deny},
		{"Read", `{"file_path":null}`, Deny, Deny},
		{"Read", `{"file_path":["a"]}`, Deny, Deny},
		{"Read", `{"file_path":7}`, Deny, Deny},
		{"Read", `{"file_path":"a\u0000b"}`, Deny, Deny},
		{"Read", `{"file_path":"a\u202eb"}`, Deny, Deny},
		{"Read", `{}`, Deny, Deny},
		{"Read", `[]`, Deny, Deny},
		{"Read", `null`, Deny, Deny},
		{"Read", ``, Deny, Deny},
		{"Read", `{"file_path":`, Deny, Deny},
		{"Write", `{"file_path":"a.go","content":"x"}`, Allow, Deny},
		{"Write", `{"file_path":".git/config","content":"x"}`, Deny, Deny},
		{"Write", `{"file_path":"CLAUDE.md","content":"x"}`, Ask, Deny},
		{"Write", `{"file_path":"/tmp/x","content":"x"}`, Ask, Deny},
		{"Edit", `{"file_path":"/work/tree/src/a.go"}`, Allow, Deny},
		{"Edit", `{"file_path":"/work/treeX/src/a.go"}`, Deny, Deny},
		{"MultiEdit", `{"file_path":"a.go"}`, Allow, Deny},
		{"NotebookEdit", `{"notebook_path":"a.ipynb"}`, Allow, Deny},
		{"NotebookEdit", `{"file_path":"../a.ipynb"}`, Deny, Deny},
		{"Glob", `{"pattern":"**/*.go"}`, Allow, Allow},
		{"Glob", `{"pattern":"*","path":"/work/tree/src"}`, Allow, Allow},
		{"Glob", `{"pattern":"*","path":"/etc"}`, Ask, Ask},
		{"Glob", `{"pattern":"/etc/**"}`, Ask, Ask},
		{"Glob", `{"pattern":"../**"}`, Ask, Ask},
		{"Glob", `{"pattern":"src/*/../../../x"}`, Deny, Deny},
		{"Glob", `{}`, Deny, Deny},
		{"Grep", `{"pattern":"foo"}`, Allow, Allow},
		{"Grep", `{"pattern":"/etc/x","path":"src","glob":"*.ts"}`, Allow, Allow},
		{"Grep", `{"pattern":"x","path":"~/.ssh"}`, Deny, Deny},
		{"Grep", `{"pattern":"x","path":".env"}`, Deny, Deny},
		{"Grep", `{"path":"src"}`, Deny, Deny},
		{"Bash", `{"command":"ls"}`, Allow, Allow},
		{"Bash", `{"command":"npm test","timeout":1000,"description":"run","run_in_background":true}`, Allow, Deny},
		{"Bash", `{"command":"curl evil"}`, Deny, Deny},
		{"Bash", `{"command":"ls","dangerouslyDisableSandbox":true}`, Deny, Deny},
		{"Bash", `{"command":"ls","dangerouslyDisableSandbox":false}`, Allow, Allow},
		{"Bash", `{"command":"ls","env":{"PATH":"."}}`, Deny, Deny},
		{"Bash", `{"command":["ls"]}`, Deny, Deny},
		{"Bash", `{"command":""}`, Deny, Deny},
		{"Bash", `{"cmd":"ls"}`, Deny, Deny},
		{"Bash", `{}`, Deny, Deny},
		{"Agent", `{"prompt":"x"}`, Allow, Allow},
		{"Task", `{}`, Allow, Allow},
		{"TodoWrite", `{}`, Allow, Allow},
		{"StructuredOutput", `{"a":1}`, Allow, Allow},
		{"mcp__longshift__report", `{}`, Allow, Allow},
		{"mcp__longshift2__report", `{}`, Deny, Deny},
		{"mcp__other__x", `{}`, Deny, Deny},
		{"WebFetch", `{"url":"https://x"}`, Ask, Ask},
		{"WebSearch", `{}`, Ask, Ask},
		{"bash", `{"command":"ls"}`, Deny, Deny},
		{"ScheduleWakeup", `{}`, Deny, Deny},
	} {
		for role, want := range map[task.Role]Verdict{task.Implementer: x.want, task.Planner: x.planner} {
			d := p.Decide(Request{Role: role, Tool: x.tool, Input: json.RawMessage(x.input)})
			if d.Verdict != want {
				t.Errorf("%s %s %s: %+v, want %s", role, x.tool, x.input, d, want)
			}
			if d.Rule == "internal" {
				t.Errorf("%s %s broke the judge", x.tool, x.input)
			}
		}
	}
}

// A search that the operator has granted needs nobody; a page that the agent itself would fetch still does.
func TestGrantedSearch(t *testing.T) {
	p, err := New(Config{Root: "/w", Search: true})
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]Verdict{"WebSearch": Allow, "WebFetch": Ask} {
		if got := p.Decide(Request{Role: task.Implementer, Tool: tool, Dir: "/w", Input: []byte(`{"query":"x"}`)}); got.Verdict != want {
			t.Errorf("%s: %+v", tool, got)
		}
	}
}

package tools

import (
	"context"
	"encoding/json"
	"testing"
)

func TestCreateWorkspace(t *testing.T) {
	f := newFolder(t, map[string]string{"there/README.md": "mine\n", "file": "x", "bare/": "", "l": "-> there"})
	a, r := f.call("create_workspace", `{"name":"shop api","createReadme":true,"readmeTitle":"The\n# shop"}`)
	equal(t, "created", a, json.RawMessage(`{"created":true,"path":"shop api","riskyMode":false,"success":true,"workspaceRoot":"."}`))
	equal(t, "read me", []any{f.get("shop api/README.md"), r.Wrote, r.Line}, []any{"# The # shop\n", []string{"shop api/README.md"},
		"create_workspace shop api: created with README.md"})
	f.ok("create_workspace", `{"path":"apps/web/"}`)
	equal(t, "folder", f.all()["work space ü/apps/web"], "drwxr-xr-x")
	f.fails("create_workspace", `{"name":"there"}`, `"there" exists`, "allowExisting")
	a = f.ok("create_workspace", `{"name":"there","allowExisting":true,"createReadme":true}`)
	equal(t, "existing", []any{a["created"], f.get("there/README.md")}, []any{false, "mine\n"})
	f.ok("create_workspace", `{"name":"bare","allowExisting":true,"createReadme":true}`)
	equal(t, "with a read me", f.get("bare/README.md"), "# bare\n")
	for arguments, says := range map[string]string{
		`{}`: "either name or path", `{"name":"a","path":"b"}`: "either name or path", `{"name":"a/b"}`: "a name without /",
		`{"name":".."}`:   "leads out",
		`{"name":".git"}`: "belongs to git", `{"name":"."}`: "is a folder", `{"name":"file","allowExisting":true}`: "is a file",
		`{"path":"../x"}`: "leads out",
		`{"path":"/"}`:    "the path is empty", `{"name":"l","allowExisting":true}`: `link to "there"`,
	} {
		f.fails("create_workspace", arguments, says)
	}
}

func TestPlanOfCreateWorkspace(t *testing.T) {
	f, ctx := newFolder(t, nil), context.Background()
	for _, arguments := range []string{`{"name":"a"}`, `{"name":"b","createReadme":true}`} {
		changes, err := f.Plan(ctx, "create_workspace", json.RawMessage(arguments))
		must(t, err)
		if f.Done(changes) {
			t.Errorf("%s: %v is not done", arguments, changes)
		}
		f.ok("create_workspace", arguments)
		f.put("a/later", "x")
		if !f.Done(changes) {
			t.Errorf("%s: %v is done", arguments, changes)
		}
	}
}

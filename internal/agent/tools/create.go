package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

var createWorkspace = entry{
	name: "create_workspace", class: Writes, path: nameOrPath, plan: (*Workspace).createWorkspace,
	text: "Create the folder of a new project in the workspace. Give name or path.",
	schema: `{"type":"object","properties":{` +
		`"name":{"type":"string","description":"Name of a folder directly in the workspace."},` +
		`"path":{"type":"string","description":"Folder, relative to the workspace."},` +
		`"allowExisting":{"type":"boolean","description":"It is no error if the folder exists."},` +
		`"createReadme":{"type":"boolean","description":"Also write README.md, unless there is one."},` +
		`"readmeTitle":{"type":"string","description":"Title of README.md; the name of the folder if left out."}},` +
		`"additionalProperties":false}`,
	example: `{"name": "shop-api", "createReadme": true}`,
	params: []param{{"name", stringArg, false}, {"path", stringArg, false}, {"allowExisting", flagArg, false}, {"createReadme", flagArg, false},
		{"readmeTitle", stringArg, false}},
}

type createdWorkspace struct {
	Created       bool   `json:"created"`
	Path          string `json:"path"`
	WorkspaceRoot string `json:"workspaceRoot"`
	RiskyMode     bool   `json:"riskyMode"`
}

func nameOrPath(a arguments) string {
	if name := a.texts["name"]; name != "" {
		return name
	}
	return a.texts["path"]
}

func (w *Workspace) createWorkspace(_ context.Context, a arguments) (plan, error) {
	name := a.texts["name"]
	switch {
	case (name == "") == (a.texts["path"] == ""):
		return plan{}, errors.New("give either name or path: name for a folder directly in the workspace, path for one further down")
	case strings.Contains(name, "/"):
		return plan{}, fmt.Errorf("name is %q; give a name without /, or path instead", excerpt.Line(name, 100))
	}
	p, err := w.writable(strings.TrimRight(nameOrPath(a), "/"))
	switch {
	case err != nil:
		return plan{}, err
	case p.info != nil && !p.info.IsDir():
		return plan{}, fmt.Errorf("path %q is a file; choose another name", p.named)
	case p.info != nil && !a.flags["allowExisting"]:
		return plan{}, fmt.Errorf("folder %q exists; choose another name, or set allowExisting to true to work in it", p.named)
	}
	answer := createdWorkspace{Created: p.info == nil, Path: p.path, WorkspaceRoot: "."}
	line := map[bool]string{true: p.path + ": created", false: p.path + ": exists"}[answer.Created]
	c := change{path: p.path, folder: true}
	if p.info != nil {
		c.before = folderState
	}
	if a.flags["createReadme"] {
		if readme, ok := w.readme(p, a.texts["readmeTitle"]); ok {
			c, line = readme, line+" with README.md" // writing it creates the folder
		}
	}
	return plan{[]change{c}, answer, line}, nil
}

// readme is false if there is one.
func (w *Workspace) readme(dir place, heading string) (change, bool) {
	p, err := w.writable(path.Join(dir.path, "README.md"))
	if err != nil || p.info != nil {
		return change{}, false // a link is there too
	}
	if heading = excerpt.Line(heading, 200); heading == "" {
		heading = path.Base(dir.path)
	}
	return change{path: p.path, after: []byte("# " + heading + "\n")}, true
}

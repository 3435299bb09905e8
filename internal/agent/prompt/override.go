package prompt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Files reads a file of the commit that the task starts from. found reports whether it exists.
//
// It is called for .longshift/prompts/<role>.md, which replaces a role's instruction, and for the project's notes: SOUL.md, USER.md,
// TOOLS.md, AGENTS.md and CLAUDE.md.
type Files func(path string) (content []byte, found bool, err error)

// OverridePath is the file with a repository's own instruction for a role.
func OverridePath(role task.Role) string { return ".longshift/prompts/" + string(role) + ".md" }

// NotePaths lists the project's notes for agents in the order of the prompt.
func NotePaths() []string {
	return []string{"SOUL.md", "USER.md", "TOOLS.md", "AGENTS.md", "CLAUDE.md"}
}

// open lists the fields of Conventions that an override may use.
var open = []string{"Specs", "Setup", "Check", "Commits", "MaxLines"}

// override returns the repository's own instruction for a role. An empty one counts as missing.
func override(role task.Role, s Conventions, files Files) (text string, found bool, err error) {
	if files == nil {
		return "", false, nil
	}
	path := OverridePath(role)
	content, found, err := files(path)
	if err != nil || !found {
		return "", false, wrap(path, err)
	}
	t, err := template.New(path).Parse(cut(string(content), maxNotes))
	if err == nil && (t.Tree == nil || len(t.Templates()) > 1) {
		err = errors.New(path + ": definitions are not supported")
	}
	if err == nil {
		err = plain(t, t.Root)
	}
	var b bytes.Buffer
	if err == nil {
		err = t.Execute(&b, s)
	}
	if err != nil {
		return "", false, fault.New(fault.Input, "%s: %s", path, strings.TrimPrefix(err.Error(), "template: ")).
			WithHint("use {{.%s}} and {{if .Check}}…{{else}}…{{end}} only", strings.Join(open, "}}, {{."))
	}
	text = strings.TrimSpace(b.String())
	return text, text != "", nil
}

// plain rejects everything in a template except fields and conditions on them. The file is untrusted, and with loops and functions a few
// lines can exhaust the memory.
func plain(t *template.Template, list *parse.ListNode) error {
	if list == nil {
		return nil
	}
	for _, n := range list.Nodes {
		where, _ := t.ErrorContext(n)
		var err error
		switch n := n.(type) {
		case *parse.TextNode, *parse.CommentNode:
		case *parse.ActionNode:
			err = field(where, n.Pipe)
		case *parse.IfNode:
			err = errors.Join(field(where, n.Pipe), plain(t, n.List), plain(t, n.ElseList))
		default:
			err = fmt.Errorf("%s: %s is not supported", where, excerpt.Line(n.String(), 60))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// field accepts {{.Field}} for the fields in open.
func field(where string, p *parse.PipeNode) error {
	if len(p.Decl) == 0 && len(p.Cmds) == 1 && len(p.Cmds[0].Args) == 1 {
		if f, ok := p.Cmds[0].Args[0].(*parse.FieldNode); ok && len(f.Ident) == 1 {
			if slices.Contains(open, f.Ident[0]) {
				return nil
			}
			return fmt.Errorf("%s: there is no field .%s", where, excerpt.Clip(f.Ident[0], 60))
		}
	}
	return fmt.Errorf("%s: {{%s}} is not supported", where, excerpt.Line(p.String(), 60))
}

func wrap(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read %s: %w", path, err)
}

package reporting

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/longshift/longshift/task"
)

// Tool is what a role reports by.
type Tool struct {
	Name   string
	Text   string // for the agent
	Schema string // of the arguments, as JSON
	form   string // what a call looks like, for an agent that has sent something else
	ends   bool   // an accepted call ends the session
	reads  bool   // it changes nothing
	roles  []task.Role
	read   func(arguments []byte) (Report, error)
}

// Ends tells whether an accepted call of the tool ends the session.
func Ends(name string) bool {
	return slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == name && t.ends })
}

// working are the roles that sessions have.
var working = []task.Role{task.Planner, task.Implementer, task.Reviewer}

// tools are all tools, in the order in which agents see them. Their texts are the same for all sessions of a role: models cache them.
var tools = []Tool{
	{
		Name: "plan_submit", roles: []task.Role{task.Planner}, ends: true, Schema: task.PlanSchema, read: readPlan,
		Text: "Hand in the plan. It is checked; when it is accepted, the session ends.",
		form: `{"verdict": "work", "summary": "...", "approach": "...", "files": ["..."], "risks": [], "evidence": "", "lines": 40, "split": [], ` +
			`"deliverables": [{"id": "FEAT-001", "description": "...", "acceptance": ["..."], "proof": "..."}]}`,
	}, {
		Name: "deliverable_list", roles: []task.Role{task.Implementer, task.Reviewer}, reads: true,
		Schema: `{"type":"object","additionalProperties":false,"properties":{}}`, form: `{}`,
		Text: "List the deliverables of the plan with their acceptance criteria and their status.",
	}, {
		Name: "deliverable_set_status", roles: []task.Role{task.Implementer}, ends: true, read: readStatus,
		Schema: `{"type":"object","additionalProperties":false,"required":["id","status","text"],"properties":{` +
			`"id":{"type":"string","description":"of the deliverable that the prompt names"},` +
			`"status":{"type":"string","enum":["passed","blocked"]},` +
			`"text":{"type":"string","description":"passed: the commit message; blocked: what is in the way, what you tried, what would help"}}}`,
		Text: "Report the deliverable of this session as passed or as blocked. When it is accepted, the session ends.",
		form: `{"id": "FEAT-001", "status": "passed", "text": "feat(parser): read dates with a time zone"}`,
	}, {
		Name: "deliverable_verify", roles: []task.Role{task.Reviewer}, read: readVerification,
		Schema: `{"type":"object","additionalProperties":false,"required":["id","holds","text"],"properties":{` +
			`"id":{"type":"string","description":"of a deliverable that is reported as passed"},` +
			`"holds":{"type":"boolean","description":"whether all of its acceptance criteria do"},` +
			`"text":{"type":"string","description":"what you did to see it, or what is missing"}}}`,
		Text: "Say of one deliverable whether it is done, after you have seen it yourself.",
		form: `{"id": "FEAT-001", "holds": true, "text": "go test ./date passes; without the change in parse.go TestZone would fail"}`,
	}, {
		Name: "review_submit", roles: []task.Role{task.Reviewer}, ends: true, Schema: task.ReviewSchema, read: readReview,
		Text: "Hand in the review. When it is accepted, the session ends.",
		form: `{"verdict": "request_changes", "text": "1. path/file.go:12: ..."}`,
	}, {
		Name: "spec_issue", roles: working, ends: true, read: readText(task.SpecIssue),
		Schema: textSchema("what is unclear, where it is written, and the choices"),
		Text:   "Stop the task for a decision that only a person can make. When it is accepted, the session ends.",
		form:   `{"text": "..."}`,
	}, {
		Name: "finding_report", roles: working, read: readFinding,
		Schema: `{"type":"object","additionalProperties":false,"required":["text"],"properties":{` +
			`"path":{"type":"string","description":"file that it is about, if it is about one"},` +
			`"text":{"type":"string","description":"what is wrong or risky, and how to see it"}}}`,
		Text: "Report something that a person must look at before the change is merged, and that is not yours to mend.",
		form: `{"path": "path/file.go", "text": "..."}`,
	}, {
		Name: "note_save", roles: working, read: readText(task.Note),
		Schema: textSchema("a decision, a surprise, something you saw and left alone"),
		Text:   "Leave a note for later sessions, the reviewer and people. Once for each thing.",
		form:   `{"text": "..."}`,
	}, {
		Name: "progress", roles: working, read: readText(""),
		Schema: textSchema("what you do now, in a few words"),
		Text:   "Say what you do now, for people who follow the session. Not needed for the result.",
		form:   `{"text": "..."}`,
	},
}

func textSchema(what string) string {
	quoted, _ := json.Marshal(what) // a string always marshals
	return `{"type":"object","additionalProperties":false,"required":["text"],"properties":{"text":{"type":"string","description":` +
		string(quoted) + `}}}`
}

// Tools lists the tools of a role.
func Tools(role task.Role) (all []Tool) {
	for _, t := range tools {
		if slices.Contains(t.roles, role) {
			all = append(all, t)
		}
	}
	return all
}

// described is the tool as agents are told of it.
func (t Tool) described() *mcp.Tool {
	no := false
	return &mcp.Tool{Name: t.Name, Description: t.Text, InputSchema: json.RawMessage(t.Schema),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: t.reads, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no}}
}

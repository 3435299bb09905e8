package task

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Limits of the input, in bytes. They keep histories small and report mistakes early.
const (
	MaxInput = 256 << 10
	MaxTask  = 32 << 10
	MaxKey   = maxName // of the name that work has at its source
	maxTitle = 1 << 10
	maxBody  = 128 << 10
	maxName  = 200
	maxLink  = 2 << 10
)

const inputExample = `{"repository": "owner/name", "task": "what to do"}`

// ParseInput parses the input of a task strictly. The error lists all mistakes, each with its field, value and a correction. It is pure,
// so that a workflow may call it.
func ParseInput(data []byte) (Input, error) {
	var in Input
	if len(data) > MaxInput {
		return in, asError(fault.Input, "input", []mistake{tooLong("", len(data), MaxInput)})
	}
	l, err := ReadJSON(data)
	if err == nil && l.Type != ObjectLiteral {
		err = fault.New(fault.Input, "is %s, not an object", l.show())
	}
	if err != nil {
		return in, fault.New(fault.Input, "input: %w", err).WithHint("give a JSON object such as %s", inputExample)
	}
	d := decoder{way: configWay("config.")}
	d.decode(l, &in)
	all := append(d.mistakes, in.mistakes(d.mistakes)...)
	if in.Config != nil {
		all = append(all, configMistakes(*in.Config, "config.", d.lineOf)...)
	}
	if err := asError(fault.Input, "input", all); err != nil {
		return Input{}, err
	}
	return in, nil
}

// mistakes checks the values, except those of fields with a wrong type.
func (in Input) mistakes(known []mistake) (all []mistake) {
	add := func(m mistake) {
		for _, k := range known {
			if k.field == m.field {
				return
			}
		}
		all = append(all, m)
	}
	switch r, err := ParseRepository(in.Repository); {
	case in.Repository == "":
		add(mistake{field: "repository", what: "is missing", way: "give owner/name, a git URL without a password, or an absolute path"})
	case len(in.Repository) > maxLink:
		add(tooLong("repository", len(in.Repository), maxLink))
	case err != nil:
		add(mistake{field: "", what: err.Error(), way: fault.HintOf(err)})
	case in.Fork && r.Path != "":
		add(mistake{field: "fork", what: "is true, and the repository is a folder", way: "give a repository on GitHub, or leave fork out"})
	}
	if strings.TrimSpace(in.Task) == "" {
		add(mistake{field: "task", what: "is missing", way: "say in words what to do"})
	}
	if what := wrongBranch(in.Base); in.Base != "" && (what != "" || len(in.Base) > maxName) {
		what = "is " + quote(in.Base) + ", which is no branch name"
		add(mistake{field: "base", what: what, way: `give a branch such as "main", or leave it out`})
	}
	for _, f := range in.lengths() {
		if len(f.text) > f.most {
			add(tooLong(f.field, len(f.text), f.most))
		}
	}
	for _, m := range specMistakes(in.Spec) {
		add(m)
	}
	if in.Sync && len(in.Spec) == 0 {
		add(mistake{field: "sync", what: "is true, and there is no spec", way: "name the files of the specification in spec"})
	}
	if in.Words && len(in.Spec) == 0 {
		add(mistake{field: "words", what: "is true, and there is no spec", way: "name the files of the specification in spec, or leave words out"})
	}
	for _, m := range imageMistakes(in.Images) {
		add(m)
	}
	if in.Issue != nil && in.Issue.Number < 0 {
		add(mistake{field: "issue.number", what: "is " + strconv.Itoa(in.Issue.Number), way: "give the number of the issue"})
	}
	if in.Origin != nil && !in.Origin.fits() {
		add(mistake{field: "origin.source", what: "is " + quote(in.Origin.Source),
			way: "use github, linear, backlog or heartbeat, and an origin.key; or leave origin.source out"})
	}
	if in.Origin != nil && in.Origin.Guard != nil {
		for _, m := range in.Origin.Guard.mistakes("origin.guard.") {
			add(m)
		}
	}
	return all
}

// MaxSpec is how many files and folders a specification may name.
const MaxSpec = 20

func specMistakes(spec []string) (all []mistake) {
	if n := len(spec); n > MaxSpec {
		all = append(all, mistake{field: "spec", what: "has " + strconv.Itoa(n) + " items", way: "give at most " + strconv.Itoa(MaxSpec) + ", or their folder"})
	}
	for i, p := range spec[:min(len(spec), MaxSpec)] {
		field := "spec item " + strconv.Itoa(i+1)
		switch {
		case len(p) > maxLink:
			all = append(all, tooLong(field, len(p), maxLink))
		case !fs.ValidPath(p) || p == "." || strings.ContainsAny(p, "*?[{\\") || strings.ContainsFunc(p, Hidden):
			all = append(all, mistake{field: field, what: "is " + quote(p) + ", which is no path in a repository",
				way: "give a file or a folder as git names it, such as SPEC.md or docs/spec"})
		}
	}
	return all
}

type boundedField struct {
	field, text string
	most        int
}

func (in Input) lengths() []boundedField {
	issue, who, room, origin := or(in.Issue), or(in.RequestedBy), or(in.Room), or(in.Origin)
	return []boundedField{
		{"task", in.Task, MaxTask},
		{"review", in.Review, MaxTask},
		{"issue.forge", issue.Forge, maxName},
		{"issue.key", issue.Key, maxName},
		{"issue.title", issue.Title, maxTitle},
		{"issue.body", issue.Body, maxBody},
		{"issue.url", issue.URL, maxLink},
		{"requestedBy.name", who.Name, maxName},
		{"requestedBy.via", who.Via, maxName},
		{"room.channel", room.Channel, maxName},
		{"room.id", room.ID, maxName},
		{"room.thread", room.Thread, maxName},
		{"origin.intake", origin.Intake, maxName},
		{"origin.source", origin.Source, maxName},
		{"origin.key", origin.Key, maxName},
		{"origin.sum", origin.Sum, maxName},
		{"origin.label", origin.Label, maxName},
		{"origin.assignee", origin.Assignee, maxName},
		{"origin.team", origin.Team, maxName},
		{"origin.path", origin.Path, maxLink},
	}
}

func tooLong(field string, n, most int) mistake {
	return mistake{field: field, what: "has " + strconv.Itoa(n) + " bytes", way: "give at most " + strconv.Itoa(most)}
}

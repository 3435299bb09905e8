package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/task"
)

// What agents may do can be narrowed by every source and widened by none.
func TestCommandsOnlyNarrow(t *testing.T) {
	t.Parallel()
	repo := parse(t, "commands: {profiles: [go, node], deny: [npm publish], destructive: true}\npaths: {write: [src/**], readOnly: [db/**]}\n")
	job := parse(t, "commands: {profiles: [node, jvm], deny: [make deploy], ask: [make *]}\npaths: {write: [other/**], readOnly: [], ignore: [secret/**]}\n")
	r, err := Resolve(Limits{NoDestructive: true}, repo, job)
	if err != nil {
		t.Fatal(err)
	}
	s := r.Settings
	if diff := cmp.Diff([]string{"node"}, s.Commands.Profiles); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"npm publish", "make deploy"}, s.Commands.Deny); diff != "" {
		t.Error(diff)
	}
	want := task.PathSettings{Write: []string{"src/**"}, ReadOnly: []string{"db/**"}, Ignore: []string{"secret/**"}, TaskWritable: []string{}, HideFromPlanner: []string{},
		HideFromImplementer: []string{}, HideFromReviewer: []string{}}
	if diff := cmp.Diff(want, s.Paths); diff != "" {
		t.Error(diff)
	}
	if s.Commands.Destructive {
		t.Error("a repository has widened the operator's policy")
	}
	warnings := []string{"commands.destructive: true from .longshift.yaml is not allowed by the operator; false is used",
		"paths.write: other/** from task is ignored: src/** from .longshift.yaml counts"}
	if diff := cmp.Diff(warnings, r.Warnings); diff != "" {
		t.Error(diff)
	}
	if from := origin(r, "paths.write"); from != "src/** from .longshift.yaml" {
		t.Errorf("paths.write is %s", from)
	}
}

// Settings allow commands only where the operator says so.
func TestAllowedCommandsOfSettings(t *testing.T) {
	t.Parallel()
	repo := parse(t, "commands: {allow: [shellcheck *], allowReviewer: [tokei]}\n")
	r, err := Resolve(Limits{}, repo, parse(t, "commands: {allowReviewer: []}\n"))
	if err != nil || len(r.Warnings) > 0 || len(r.Settings.Commands.Allow) != 1 || len(r.Settings.Commands.AllowReviewer) != 0 {
		t.Errorf("got %+v, %v, %q", r.Settings.Commands, err, r.Warnings)
	}
	r, err = Resolve(Limits{NoAllow: true}, repo, task.Config{})
	want := []string{"commands.allow: shellcheck * from .longshift.yaml is not allowed by the operator; none is used",
		"commands.allowReviewer: tokei from .longshift.yaml is not allowed by the operator; none is used"}
	if err != nil || cmp.Diff(want, r.Warnings) != "" || r.Settings.Commands.Allow != nil || r.Settings.Commands.AllowReviewer != nil {
		t.Errorf("got %+v, %v, %q", r.Settings.Commands, err, r.Warnings)
	}
}

func TestProfilesOfTheOperator(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		operator []string
		repo     string
		want     []string
		warns    int
	}{
		{nil, "", task.DefaultProfiles(), 0},
		{[]string{"go", "cpp"}, "", []string{"go", "cpp"}, 0},
		{[]string{"go", "cpp"}, "commands: {profiles: [cpp]}", []string{"cpp"}, 0},
		{[]string{"go"}, "commands: {profiles: [go, node]}", []string{"go"}, 1},
		{[]string{"go"}, "commands: {profiles: [node]}", []string{"none"}, 1},
		{nil, "commands: {profiles: [none]}", []string{"none"}, 0},
	} {
		r, err := Resolve(Limits{Profiles: c.operator}, parse(t, c.repo), task.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, r.Settings.Commands.Profiles); diff != "" || len(r.Warnings) != c.warns {
			t.Errorf("%v and %q: %s %v", c.operator, c.repo, diff, r.Warnings)
		}
	}
	if _, err := Resolve(Limits{Profiles: []string{"cobol"}}, task.Config{}, task.Config{}); err == nil {
		t.Error("an unknown tool chain passes")
	}
}

package task_test

import (
	"testing"

	"github.com/longshift/longshift/task"
)

func TestNoticesAreSwitchedOffByKind(t *testing.T) {
	all := task.NotifySettings{PlanReady: true, Progress: true, Complete: true, Error: true}
	for kind, off := range map[string]func(*task.NotifySettings){
		"plan":         func(n *task.NotifySettings) { n.PlanReady = false },
		"commit":       func(n *task.NotifySettings) { n.Progress = false },
		"pull_request": func(n *task.NotifySettings) { n.Complete = false },
		"suspended":    func(n *task.NotifySettings) { n.Error = false },
	} {
		some := all
		off(&some)
		if !all.Wants(kind) || some.Wants(kind) || !some.Wants("approved") {
			t.Errorf("%s: wanted %v, switched off %v", kind, all.Wants(kind), some.Wants(kind))
		}
	}
}

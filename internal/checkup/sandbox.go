package checkup

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/config"
)

// checkSandbox looks whether this machine can confine what tasks run.
func (m *Machine) checkSandbox(ctx context.Context, conf config.Config) Finding {
	layers, err := m.Sandbox(ctx, conf)
	if err != nil {
		return Failed("sandbox", err)
	}
	var all, without []string
	for _, l := range layers {
		if l.Stands {
			all = append(all, l.Name+" ("+l.Detail+")")
		} else {
			without = append(without, l.Name)
		}
	}
	if len(without) > 0 {
		return warn("sandbox", "runs without "+strings.Join(without, ", "),
			"take LONGSHIFT_SANDBOX_WITHOUT back: what tasks run is held by the rest alone")
	}
	return good("sandbox", strings.Join(all, ", "))
}

// checkWork looks whether what every project's commands rely on, git among it, works where this machine confines them.
func (m *Machine) checkWork(ctx context.Context, conf config.Config) Finding {
	const check = "work in sandbox"
	tools, err := m.Work(ctx, conf)
	if err != nil {
		return Failed(check, err)
	}
	works, fails := []string{"git"}, []string{}
	for _, t := range tools {
		if t.Works {
			works = append(works, t.Name+" "+strings.TrimPrefix(t.Detail, t.Name+" "))
		} else {
			fails = append(fails, t.Name+" ("+t.Detail+")")
		}
	}
	if len(fails) > 0 {
		return warn(check, "tool chains that fail there: "+strings.Join(fails, ", "),
			"let tasks see the folder they are installed in with LONGSHIFT_READABLE")
	}
	return good(check, strings.Join(works, ", "))
}

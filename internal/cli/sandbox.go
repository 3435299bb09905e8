package cli

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/config"
)

// checkSandbox looks whether this machine can confine what tasks run.
func (p *program) checkSandbox(ctx context.Context, conf config.Config) finding {
	layers, err := p.wiring.Sandbox(ctx, conf)
	if err != nil {
		return failed("sandbox", err)
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
		return finding{"sandbox", stateWarn, "runs without " + strings.Join(without, ", "),
			"take LONGSHIFT_SANDBOX_WITHOUT back: what tasks run is held by the rest alone"}
	}
	return finding{Check: "sandbox", State: stateOK, Detail: strings.Join(all, ", ")}
}

// checkWork looks whether what every project's commands rely on, git among it, works where this machine confines them.
func (p *program) checkWork(ctx context.Context, conf config.Config) finding {
	const check = "work in sandbox"
	tools, err := p.wiring.Work(ctx, conf)
	if err != nil {
		return failed(check, err)
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
		return finding{check, stateWarn, "tool chains that fail there: " + strings.Join(fails, ", "),
			"let tasks see the folder they are installed in with LONGSHIFT_READABLE"}
	}
	return finding{Check: check, State: stateOK, Detail: strings.Join(works, ", ")}
}

// openly gives the setting by which the demonstration runs without a sandbox where this machine has none. It says so: the
// demonstration runs commands of our own, and no agent.
func (p *program) openly(ctx context.Context) []string {
	conf, err := config.Load(func(name string) (string, bool) { return p.env.Lookup(name) })
	if err != nil {
		return nil
	}
	if _, err := p.wiring.Sandbox(ctx, conf); err == nil {
		return nil
	}
	p.say("this machine has no sandbox for agents (`longshift doctor` says why); the demonstration runs its own commands without one")
	return []string{"LONGSHIFT_SANDBOX_WITHOUT=" + strings.Join(config.Layers(), ",")}
}

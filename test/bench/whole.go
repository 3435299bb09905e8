package main

import (
	"fmt"
	"os"

	"github.com/longshift/longshift/task"
)

// Budgets of a whole task.
const (
	mostTime   = 1.0 // of the script's
	mostAbove  = 150 // MB with Claude Code, above what the script takes
	mostNative = 60  // MB
	mostEvents = 200
	mostKB     = 200
)

// weighings is the number of rounds whose memory is followed, after those whose time counts. Fewer give too few differences to tell from noise.
const weighings = 6

// side is a build whose tasks are measured.
type side struct {
	*bench
	took       map[string][]float64 // seconds by agent
	events, kb []float64
	last       string // its last task with Claude Code
}

// runWhole measures whole tasks against the script, and against those of an earlier commit if there is one.
func runWhole(rounds int, earlier string) error {
	b := &bench{memory: map[string][]int{}}
	clear, err := b.open(script())
	if err != nil {
		return err
	}
	defer clear()
	sides := []*side{{bench: b}}
	if earlier != "" {
		dir := b.dir[:len(b.dir)-1] + "b" // as long as ours: paths are in the history
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
		b.ends.add(func() { os.RemoveAll(dir) })
		sides = append(sides, &side{bench: &bench{dir: dir, root: earlier, claude: b.claude, model: b.model, ends: b.ends,
			memory: map[string][]int{}}})
	}
	for _, s := range sides {
		s.took = map[string][]float64{}
		if err := s.start(); err != nil {
			return err
		}
	}
	var scripts []float64
	for n := range rounds + weighings {
		for _, s := range sides { // ours is b
			s.weighs = n >= rounds
		}
		shell, err := b.shell(n)
		if err != nil {
			return fmt.Errorf("shell script, round %d: %w", n, err)
		}
		fmt.Fprintf(os.Stderr, "round %d: shell %.2fs", n, shell.Seconds())
		for i := range sides { // the other one first in each second round
			if err := sides[(i+n)%len(sides)].round(n); err != nil {
				return fmt.Errorf("round %d: %w", n, err)
			}
		}
		fmt.Fprintln(os.Stderr)
		if n > 0 && !b.weighs {
			scripts = append(scripts, shell.Seconds())
		}
	}
	if bad := b.model.Unscripted(); len(bad) > 0 {
		return fmt.Errorf("%d model calls fit no rule, the first: role %q, %.80q", len(bad), bad[0].Role, bad[0].Prompt)
	}
	fmt.Printf("whole task, 3 deliverables, instant model, medians of %d rounds taking turns; the shell script with Claude Code takes %.2f s and %.0f MB:\n",
		len(scripts), median(scripts), median(b.mb("shell script")))
	if err := printTable(os.Stdout, rows(sides, scripts, b.mb("shell script"))); err != nil {
		return err
	}
	if earlier == "" { // both sides ask the same model
		b.printSent()
	}
	return b.timeline(sides[0].last)
}

// round has the side carry out the task with each agent. The first round is not counted, and of the last ones only the memory is.
func (s *side) round(n int) error {
	for _, agent := range []string{task.AgentClaude, task.AgentNative} {
		took, id, err := s.task(n, agent)
		if err != nil {
			return fmt.Errorf("task with %s of %s: %w", agent, s.root, err)
		}
		if all := s.mb(agent); s.weighs {
			fmt.Fprintf(os.Stderr, ", %s %.0f MB", agent, all[len(all)-1])
		} else {
			fmt.Fprintf(os.Stderr, ", %s %.2fs", agent, took.Seconds())
		}
		if n == 0 || s.weighs {
			continue
		}
		s.took[agent] = append(s.took[agent], took.Seconds())
		if agent != task.AgentClaude {
			continue
		}
		events, size, err := s.history(id)
		if err != nil {
			return err
		}
		s.events, s.kb, s.last = append(s.events, float64(events)), append(s.kb, float64(size)/1000), id
	}
	return nil
}

// mb is the memory of each round.
func (b *bench) mb(of string) (all []float64) {
	for _, bytes := range b.memory[of] {
		all = append(all, float64(bytes)/1e6)
	}
	return all
}

// rows are the figures of the sides, of which the second is the earlier commit.
func rows(sides []*side, scripts, scriptMB []float64) []row {
	over := func(a, b float64) float64 { return a / b }
	all := []row{
		{what: "time with Claude Code, of the script's", format: "%.2f", budget: mostTime},
		{what: "time with Claude Code", format: "%.2f s"},
		{what: "time with the native agent, of the script's", format: "%.2f", budget: mostTime},
		{what: "memory with Claude Code, above the script's", format: "%.0f MB", budget: mostAbove},
		{what: "memory with the native agent", format: "%.0f MB", budget: mostNative},
		{what: "history", format: "%.0f events", budget: mostEvents},
		{what: "history, bytes", format: "%.1f KB", budget: mostKB},
	}
	for i, s := range sides {
		for j, values := range [][]float64{
			pairwise(s.took[task.AgentClaude], scripts, over), s.took[task.AgentClaude], pairwise(s.took[task.AgentNative], scripts, over),
			pairwise(s.mb(task.AgentClaude), scriptMB, above), s.mb(task.AgentNative), s.events, s.kb,
		} {
			if i == 0 {
				all[j].now = values
			} else {
				all[j].base = values
			}
		}
	}
	return all
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/task"
)

// rival is an agent whose tasks are measured against launches of its own program.
type rival struct {
	name    string
	program string
	env     []string // of the worker
	script  agenttest.Script
}

// rivals are the agents of other vendors than Anthropic. Their programs are those of the tests.
func rivals(root string) ([]rival, error) {
	codex := config.Model{Codex: filepath.Join(root, "test", "agents", "node_modules", "@openai", "codex", "bin", "codex.js")}.CodexProgram()
	opencode := filepath.Join(root, "test", "opencode", "node_modules", "opencode-ai", "bin", "opencode.exe")
	for _, path := range []string{codex, opencode} {
		if _, err := exec.LookPath(path); err != nil {
			return nil, fmt.Errorf("an agent's program is missing, run `make agents` first: %w", err)
		}
	}
	return []rival{
		{task.AgentCodex, codex, []string{"LONGSHIFT_AGENTS=codex", "LONGSHIFT_CODEX=" + codex}, told().In(agenttest.CodexTools)},
		{task.AgentOpenCode, opencode, []string{"LONGSHIFT_AGENTS=opencode", "LONGSHIFT_OPENCODE=" + opencode}, told().In(agenttest.OpenCodeTools)},
	}, nil
}

// told is the script without what is said to Longshift's own agent.
func told() agenttest.Script {
	s := script()
	var rules []agenttest.Rule
	for _, r := range s.Rules {
		if r.MatchSystem == "" {
			rules = append(rules, r)
		}
	}
	s.Rules = rules
	return s
}

// runAgents measures the task of each other agent against the shell script with launches of that agent's program.
func runAgents(rounds int) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	all, err := rivals(root)
	if err != nil {
		return err
	}
	for _, r := range all {
		if err := measureRival(r, rounds); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	return nil
}

func measureRival(r rival, rounds int) error {
	b := &bench{memory: map[string][]int{}, bare: r.name, claude: r.program}
	clear, err := b.open(r.script)
	if err != nil {
		return err
	}
	defer clear()
	if err := b.start(append(r.env, "LONGSHIFT_OPENAI_URL="+b.model.URL, "LONGSHIFT_OPENAI_KEY=bench-key-0000")...); err != nil {
		return err
	}
	var ours, theirs []time.Duration
	for n := range rounds + weighings/2 { // compared with no earlier commit
		b.weighs = n >= rounds
		shell, err := b.shell(n)
		if err != nil {
			return fmt.Errorf("shell script, round %d: %w", n, err)
		}
		took, _, err := b.task(n, r.name)
		if err != nil {
			return fmt.Errorf("task, round %d: %w", n, err)
		}
		fmt.Fprintf(os.Stderr, "%s, round %d: shell %.2fs, task %.2fs\n", r.name, n, shell.Seconds(), took.Seconds())
		if n > 0 && !b.weighs {
			ours, theirs = append(ours, took), append(theirs, shell)
		}
	}
	fmt.Printf("%s: shell script with its own launches %.2f s, longshift %.2f s, ratio %.2f; memory %.0f MB and %.0f MB\n", r.name,
		median(theirs).Seconds(), median(ours).Seconds(), median(ours).Seconds()/median(theirs).Seconds(),
		float64(median(b.memory["shell script"]))/1e6, float64(median(b.memory[r.name]))/1e6)
	return nil
}

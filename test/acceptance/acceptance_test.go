// Package acceptance holds stories as people live them: `longshift dev` in one terminal and `longshift run` in another, the programs
// as built, in a home folder of their own, with a real agent that works like an engineer on real repositories,
// inside the sandbox. The model is scripted; dependencies come from the registries, through the sandbox's own way out.
package acceptance

import (
	"flag"
	"slices"
	"testing"
)

// atOnce is how many tasks a person has under way.
const atOnce = 2

var allAgents = flag.Bool("all-agents", false, "every agent plays every story")

// TestStories is a day of one person: one `longshift dev`, a task in each repository, and the demo.
func TestStories(t *testing.T) {
	t.Parallel()
	d, run := day(t, claudeCode, append(allStories(t), upstream(t)...))
	run("demo", func(t *testing.T) { demo(t, d.person) })
}

// TestNativeStories is such a day with Longshift's own agent, whose tools for files are ours, too.
func TestNativeStories(t *testing.T) {
	t.Parallel()
	day(t, native, someStories(t, "links", "odd-path", "large"))
}

// TestCodexStories is such a day with Codex.
func TestCodexStories(t *testing.T) {
	t.Parallel()
	day(t, codex, someStories(t))
}

// TestOpenCodeStories is such a day with OpenCode.
func TestOpenCodeStories(t *testing.T) {
	t.Parallel()
	day(t, openCode, someStories(t))
}

// someStories are those that differ most for an agent, and more by name, unless all are asked for.
func someStories(t *testing.T, more ...string) []story {
	return slices.DeleteFunc(allStories(t), func(y story) bool {
		return !*allAgents && !slices.Contains(append(more, "go", "kinds"), y.name)
	})
}

func allStories(t *testing.T) []story {
	stories := append([]story{goStory(), nodeStory(), rustStory(), javaStory(), cStory(), pythonStory()}, variants()...)
	return append(stories, redBase(), failing(), kinds(t))
}

// day starts longshift dev, plays the stories, and gives what plays more with it, no more at once than a person has under way.
func day(t *testing.T, e engineer, stories []story) (d *dev, run func(name string, play func(*testing.T))) {
	d = startDevFor(t, e, script(stories))
	free := make(chan struct{}, atOnce)
	run = func(name string, play func(*testing.T)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			free <- struct{}{}
			defer func() { <-free }()
			play(t)
		})
	}
	for _, y := range stories {
		run(y.name, func(t *testing.T) { y.play(t, d) })
	}
	return d, run
}

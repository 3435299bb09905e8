package script

import (
	_ "embed"
	"strings"
)

// DemoTask is what the demo is asked to do.
const DemoTask = "make the failing tests pass and document the function"

//go:embed demo.yaml
var demoScenario string

//go:embed demo.txtar
var demoFiles string

// Demo gives the scenario of the demo. It fits DemoRepository.
func Demo() []byte { return []byte(demoScenario) }

// DemoRepository gives the files of a small Go module with a failing test, by their paths.
func DemoRepository() map[string]string {
	files := map[string]string{}
	for _, part := range strings.Split("\n"+demoFiles, "\n-- ")[1:] {
		name, content, _ := strings.Cut(part, " --\n")
		files[name] = strings.TrimRight(content, "\n") + "\n"
	}
	return files
}

package script

import (
	_ "embed"
	"strings"
)

const DemoTask = "make the failing tests pass and document the function"

//go:embed demo.yaml
var demoScenario string

//go:embed demo.txtar
var demoFiles string

// Demo returns the demo's scenario, which is made for DemoRepository.
func Demo() []byte { return []byte(demoScenario) }

// DemoRepository returns the files of a small Go module with a failing test, by path.
func DemoRepository() map[string]string {
	files := map[string]string{}
	for _, part := range strings.Split("\n"+demoFiles, "\n-- ")[1:] {
		name, content, _ := strings.Cut(part, " --\n")
		files[name] = strings.TrimRight(content, "\n") + "\n"
	}
	return files
}

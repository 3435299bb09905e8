package agenttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// shown is what the suite has shown of a driver, as it stands in a file of its own.
type shown struct {
	Agent    string            `json:"agent"`
	Version  string            `json:"version,omitempty"`
	Promises map[string]string `json:"promises"` // "yes", or what it does instead
}

// showing is what the suite shows of a driver when every check passes.
func (d Driver) showing() shown {
	s := shown{Agent: d.Agent, Version: d.Version, Promises: map[string]string{}}
	for _, p := range promises {
		instead := map[string]string{"changes a call": d.Fixed, "ends by a decision": d.Silent, "goes on after a crash": d.NoCrash, "passes on what people say": d.Untold, "keeps the key": d.Token}
		s.Promises[p.name] = cmp.Or(instead[p.name], "yes")
	}
	return s
}

// updating is the variable with which the files are written anew.
const updating = "UPDATE_AGENTS"

// conforms holds what a driver has shown against its file.
func conforms(t *testing.T, d Driver) {
	t.Helper()
	path := filepath.Join(root(t), "internal", "agent", "agenttest", "testdata", "agents", d.Agent+".json")
	text, err := json.MarshalIndent(d.showing(), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if os.Getenv(updating) != "" && !t.Failed() {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != string(text) {
		t.Errorf("%s does not say what the suite shows (%v): run the driver's TestConform, then TestAgentsPage, with %s=1", path, err, updating)
	}
}

// pageOrder is the order of the agents on their page.
var pageOrder = []string{task.AgentClaude, task.AgentCodex, task.AgentOpenCode, task.AgentScript}

// page is the table of what agents can, made of what the suite has shown.
func page(dir string) (string, error) {
	var b strings.Builder
	head, line := "| It ... |", "|---|"
	var all []shown
	for _, name := range pageOrder {
		var s shown
		text, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err == nil {
			err = json.Unmarshal(text, &s)
		}
		if err != nil {
			return "", err
		}
		all = append(all, s)
		head += " " + strings.TrimSpace("`"+s.Agent+"` "+s.Version) + " |"
		line += "---|"
	}
	b.WriteString(head + "\n" + line + "\n")
	for _, p := range promises {
		b.WriteString("| " + p.says + " |")
		for _, s := range all {
			fmt.Fprintf(&b, " %s |", s.Promises[p.name])
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

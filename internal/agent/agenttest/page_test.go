package agenttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	tableBegins = "<!-- what the conformance suite has shown; TestAgentsPage writes it -->\n"
	tableEnds   = "<!-- end of the table -->\n"
)

// TestAgentsPage holds the table of docs/agents.md against what the suite has shown of each driver.
func TestAgentsPage(t *testing.T) {
	table, err := page(filepath.Join("testdata", "agents"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root(t), "docs", "agents.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !ok || !ends {
		t.Fatalf("%s has no place for the table", path)
	}
	want := before + tableBegins + table + tableEnds + after
	if os.Getenv(updating) != "" {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Errorf("%s is not what the suite has shown: run this test with %s=1", path, updating)
	}
}

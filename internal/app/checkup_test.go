package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

// What ends a worker at its start is found by a checkup too.
func TestSettingsThatEndAStart(t *testing.T) {
	home := bareHome(t)
	file := filepath.Join(home, "claude")
	must(t, os.WriteFile(file, []byte("alow: []\n"), 0o700))
	must(t, trySettings(load(t)))
	for setting, says := range map[string]string{
		"LONGSHIFT_POLICY=/none.yaml":               "/none.yaml",
		"LONGSHIFT_POLICY=" + file:                  "alow is no key here",
		"LONGSHIFT_REGISTRIES=default,npm acme":     "npm acme",
		"LONGSHIFT_PRICES=/none.json":               "/none.json",
		"LONGSHIFT_CLAUDE=" + file:                  "agents must not see",
		"LONGSHIFT_EGRESS_PROXY=ftp://proxy.test:1": "LONGSHIFT_EGRESS_PROXY",
		"LONGSHIFT_PROJECTS=/none":                  `LONGSHIFT_PROJECTS="/none": no such folder`,
	} {
		wantFault(t, trySettings(load(t, setting)), fault.Input, says)
	}
	must(t, trySettings(load(t, "LONGSHIFT_PROJECTS=/none", "LONGSHIFT_ROLE=host"))) // which hears nobody, and opens no projects
}

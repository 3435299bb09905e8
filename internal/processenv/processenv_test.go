package processenv

import (
	"os"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	t.Setenv("PROCESSENV_TEST", "")
	err := Set([]string{"PROCESSENV_BAD=sec\x00ret", "PROCESSENV_TEST=a=b"})
	if err == nil || !strings.Contains(err.Error(), "PROCESSENV_BAD") || strings.Contains(err.Error(), "sec") {
		t.Errorf("the error is to name the variable and not its value: %v", err)
	}
	if got := os.Getenv("PROCESSENV_TEST"); got != "a=b" {
		t.Errorf("got %q", got)
	}
}

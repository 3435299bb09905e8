package claude

import (
	"os"
	"testing"

	"github.com/longshift/longshift/internal/process"
)

func TestMain(m *testing.M) {
	process.GuardIfAsked()
	os.Exit(m.Run())
}

package activities

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/policy"
)

// A command that Linux would not start is refused before, so that the model learns why.
func TestCommandsAreAsLongAsLinuxStartsThem(t *testing.T) {
	t.Parallel()
	for length, refused := range map[int]bool{policy.MaxScript: false, policy.MaxScript + 1: true, 200 << 10: true} {
		arguments := json.RawMessage(asJSON(map[string]any{"command": "true #" + strings.Repeat("x", length-len("true #"))}))
		in, err := commandOf(arguments, time.Minute)
		if refused {
			if err == nil || !strings.Contains(err.Error(), "longer than 100 KiB: write a file and run it") {
				t.Errorf("%d bytes: %v", length, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d bytes: %v", length, err)
		}
		if res, err := process.Run(t.Context(), process.Bash(in.Command), process.Limits{Wall: time.Minute}); err != nil || res.Exit.Code != 0 {
			t.Errorf("%d bytes: %+v, %v", length, res, err)
		}
	}
}

package intaketest_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/intake/intaketest"
)

// open returns a harness for a source in memory that has the flaw.
func open(flaw string) func(t *testing.T) intaketest.Harness {
	return func(t *testing.T) intaketest.Harness {
		m := &memory{flaw: flaw}
		find := func(t *testing.T, key string) *piece {
			for _, p := range m.pieces {
				if p.key == key {
					return p
				}
			}
			t.Fatalf("no piece %q", key)
			return nil
		}
		return intaketest.Harness{
			Source: m, Reporter: m, Unknown: "99", Token: secret,
			Add: func(t *testing.T, title, body string) string {
				p := &piece{key: fmt.Sprint(len(m.pieces) + 1), title: title, body: body}
				m.pieces = append(m.pieces, p)
				return p.key
			},
			Edit:   func(t *testing.T, key, body string) { find(t, key).body = body },
			Remove: func(t *testing.T, key string) { find(t, key).gone = true },
			Shown: func(t *testing.T, key string) (texts []string) {
				for _, n := range find(t, key).notes {
					texts = append(texts, n.Text)
				}
				return texts
			},
			Fail: func(t *testing.T, f intaketest.Failure) { m.fail = f },
		}
	}
}

const flawEnv = "LONGSHIFT_TEST_FLAW"

func TestRun(t *testing.T) { intaketest.Run(t, open(os.Getenv(flawEnv))) }

// TestFlaws: each flaw makes its case fail, in a process of its own, for a failed test can't be taken back.
func TestFlaws(t *testing.T) {
	if os.Getenv(flawEnv) != "" {
		return
	}
	for flaw, test := range map[string]string{
		"unstable id": "ids", "title as id": "ids", "one sum": "edited", "ended context": "ended context", "no wait": "rate limit",
		"token in error": "refused token", "server error denied": "server error", "any key": "foreign keys", "gone is there": "removed",
		"lists claimed": "claim", "wrong order": "order", "no stop": "stop", "locked list": "read while listing", "read claims": "read",
		"no body": "read", "posts twice": "queue", "one note for all": "two tasks", "writes all the same": "ended context",
		"queue claims": "queue", "claims for all": "claim by another", "claims once": "claim", "any sum": "claim an old text",
		"report needs claim": "report without a claim", "lists nothing": "ids",
	} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			name := strings.ReplaceAll(test, " ", "_")
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestRun$/^"+name+"$")
			cmd.Env = append(os.Environ(), flawEnv+"="+flaw)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL: TestRun/"+name) || strings.Contains(string(out), "panic:") {
				t.Errorf("case %q does not see it: %v\n%s", test, err, out[:min(len(out), 2000)])
			}
		})
	}
}

package redact

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cputest"
)

// TestHostileText searches texts designed to be slow: an agent can commit them, and every push is searched. Each has 1
// MiB; ordinary text of that size takes 10 to 20 ms.
func TestHostileText(t *testing.T) {
	r := New("ghp_0123456789abcdefghijklmnopqrstuvwx", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789").WithPath("/var/lib/longshift", "$DATA")
	for _, piece := range []string{"ghp_", "gho_ghp_", "sk-ant-", "sk-proj-", "github_pat_", "xoxb-", "glpat-", "eyJ", "eyJa.", "-eyJ", "_eyJ", "ecretAccessKey", "whsec_", "glc_", "sntrys_",
		`\`, `\x`, `\\u`, "%25", "&#", "://a:", "-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----\n", "Authorization: ", "-api-key: ", "AccountKey=", "0x"} {
		text := ""
		for len(text) < 1<<20 {
			text += strings.Repeat(piece, (64<<10)/len(piece)) + "xzz"
		}
		cputest.Bounded(t, piece, func() { r.Find(text) })
	}
}

// TestTokenAmongBeginnings finds a real token after several that only begin like one.
func TestTokenAmongBeginnings(t *testing.T) {
	const token = "ghp_" + "R7kQ2mZx9LpT4vBn8cWd1sYh6jFg3aEu5oXi"
	for _, text := range []string{strings.Repeat("ghp_", 8) + token, strings.Repeat("ghp_.", 17) + token, strings.Repeat("ghp_.", 500) + token,
		strings.Repeat("ghp_.", 819) + token, "ghp_." + token + "." + strings.Repeat("ghp_.", 16) + token, strings.Repeat("ghp_ ", 5000) + token, strings.Repeat(token+" ", 40)} {
		if out := New().String(text); strings.Contains(out, token[4:]) {
			t.Errorf("the token stands in %.60q", out[max(0, len(out)-60):])
		}
		sure := false
		for _, f := range New().Find(text) {
			sure = sure || f.Sure
		}
		if !sure {
			t.Errorf("nothing sure in %.60q", text)
		}
	}
}

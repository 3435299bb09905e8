package redact_test

import (
	"testing"

	"github.com/longshift/longshift/internal/redact"
)

func TestString(t *testing.T) {
	r := redact.New("sk-secret-1", "sk-secret-1-longer", "abc")
	for in, want := range map[string]string{
		"key sk-secret-1 end":                   "key [hidden] end",
		"key sk-secret-1-longer end":            "key [hidden] end",
		"abc stays, it is too short":            "abc stays, it is too short",
		"clone https://bot:hunter2@host/x.git":  "clone https://[hidden]@host/x.git",
		"clone https://host/x.git is untouched": "clone https://host/x.git is untouched",
	} {
		if got := r.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
	paths := redact.New().WithPath("/home/maria/.local/share/longshift", "$LONGSHIFT_DATA").WithPath("/home/maria/", "$HOME")
	in := "open /home/maria/.local/share/longshift/tasks/x: no; /home/maria/go/src"
	if got, want := paths.String(in), "open $LONGSHIFT_DATA/tasks/x: no; $HOME/go/src"; got != want {
		t.Errorf("String(%q) = %q, want %q", in, got, want)
	}
	var none *redact.Redactor
	if got := none.String("ssh://a:b@c/d"); got != "ssh://[hidden]@c/d" {
		t.Errorf("nil redactor: %q", got)
	}
}

package policy

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// attack is a command that must not be allowed, unless Fine says why it does no harm.
type attack struct {
	Command string `json:"command"`
	Class   string `json:"class"`
	Fine    string `json:"fine"`
}

func attacks(t testing.TB) []attack {
	t.Helper()
	f, err := os.Open("testdata/own-bypass.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var all []attack
	seen := map[string]bool{}
	for in := bufio.NewScanner(f); in.Scan(); {
		var a attack
		if err := json.Unmarshal(in.Bytes(), &a); err != nil || a.Command == "" || a.Class == "" {
			t.Fatalf("row %d: %+v: %v", len(all)+1, a, err)
		}
		if seen[a.Command] {
			t.Errorf("%q is there twice", a.Command)
		}
		seen[a.Command] = true
		all = append(all, a)
	}
	return all
}

// TestNoAttackIsAllowed holds every class of attack to none allowed, with nothing switched on and with everything.
func TestNoAttackIsAllowed(t *testing.T) {
	all := attacks(t)
	classes, fine := map[string]int{}, 0
	for name, c := range map[string]Config{"plain": plainConfig(), "everything on": openConfig()} {
		p := newPolicy(t, c)
		for _, a := range all {
			if classes[a.Class]++; a.Fine != "" {
				fine++
				continue
			}
			if d := decide(p, a.Command); d.Verdict == Allow || d.Rule == "internal" || d.Reason == "" {
				t.Errorf("%s: [%s] %q: %+v", name, a.Class, a.Command, d)
			}
		}
	}
	if len(classes) < 25 || len(all) < 1000 || fine > len(all)/20 {
		t.Fatalf("%d rows in %d classes, %d of them fine; this would prove little", len(all), len(classes), fine)
	}
}

// TestFineAttacksAreAllowed keeps the reasons honest: what is said to be fine is indeed allowed somewhere.
func TestFineAttacksAreAllowed(t *testing.T) {
	p := newPolicy(t, openConfig())
	for _, a := range attacks(t) {
		if a.Fine != "" && decide(p, a.Command).Verdict != Allow {
			t.Errorf("%q is refused; take its mark away", a.Command)
		}
	}
}

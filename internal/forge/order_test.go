package forge

import (
	"strings"
	"testing"
)

func TestIsOrder(t *testing.T) {
	for text, want := range map[string]bool{
		"/longshift": true, " /Longshift \n": true, "/longshift status": true, "/longshift\nRESUME\n\nbecause": true, "/longshift start now": true,
		"/longshift run tests": true, "/longshift help me": true, "/longshift edit": true,
		"/longshift status.": true, "/longshift Resume: the key is there": true, "/longshift deny!?": true, "/longshift cron list": true,
		"/longshift `status`": true, "/longshift `tell use tabs`": true, "/longshift /resume": true, "/longshift /run@longshift_bot now": true,
		"/longshift\u00a0resume\u00a0now": true, "/longshift `status` please": false, "/longshift run@bot": false, "/longshift ``": false,
		"": false, "longshift": false, "/longshifts status": false, "/longshift please run": false, "/longshift statuses": false,
		"please /longshift status": false, "> /longshift status": false, "/longshift status-": false, "/longshift : status": false, "/longshift :": false, "/longshift-status": false,
		strings.Repeat(" ", 1<<20) + "/longshift": false,
	} {
		if got := IsOrder(text); got != want {
			t.Errorf("%.40q: %t", text, got)
		}
	}
	for text, want := range map[string]bool{
		"/longshift": true, "/longshift resume now": true, "/longshift help": true, "/longshift resume: now": false, "/longshift cron": false,
		"/longshift workspaces": false,
	} {
		if got := IsPlainOrder(text); got != want {
			t.Errorf("plainly, %q: %t", text, got)
		}
	}
}

func TestIssueText(t *testing.T) {
	title, body := IssueText(" a\nb\u200b <!-- c --> "+strings.Repeat("d", 300), strings.Repeat("e ", 40<<10))
	if !strings.HasPrefix(title, "a b d") || len(title) > 256 || len(body) > 32<<10 {
		t.Errorf("%d bytes: %.20q, %d bytes", len(title), title, len(body))
	}
	if a, b := IssueSum("a", "b"), IssueSum("ab", ""); a == b || len(a) != 32 || a != IssueSum("a", "b") {
		t.Errorf("%q and %q", a, b)
	}
}

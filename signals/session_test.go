package signals

import "testing"

func TestSessionID(t *testing.T) {
	for id, want := range map[string]struct {
		task string
		n    int
	}{
		SessionID("web-1", 12): {"web-1", 12}, "web-session-1-session-2": {"web-session-1", 2}, "pull:github.com:acme:web:7-session-3": {"pull:github.com:acme:web:7", 3},
		"web-1": {}, "-session-1": {}, "web-session-": {}, "web-session-0": {}, "web-session-01": {}, "web-session--1": {}, "web-session-+1": {}, "web-session-1x": {},
		"web-session-99999999999999999999": {},
	} {
		task, n, ok := ParseSessionID(id)
		if ok != (want.n > 0) || ok && (task != want.task || n != want.n) {
			t.Errorf("%s: %q, %d, %v", id, task, n, ok)
		}
	}
}

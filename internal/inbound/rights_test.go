package inbound

import (
	"testing"

	"github.com/longshift/longshift/internal/inbound/command"
)

func TestEveryVerbHasARight(t *testing.T) {
	t.Parallel()
	for _, verb := range command.Verbs() {
		if _, ok := needs(verb); ok == (verb == command.Start) {
			t.Errorf("%s: %v", verb, ok)
		}
	}
	if _, ok := needs("terminate"); ok || (People{}).has("", toRead) {
		t.Error("what is not known needs a right that nobody has")
	}
}

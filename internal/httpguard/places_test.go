package httpguard

import (
	"slices"
	"testing"
)

// The caller with the most places loses its oldest one; among equals the oldest of all is lost.
func TestPlacesAreTakenFromTheGreedy(t *testing.T) {
	p := newPlaces(4)
	var lost []string
	take := func(caller, name string) *place {
		return p.take(caller, func() { lost = append(lost, name) })
	}
	quiet := take("quiet", "q1")
	take("flood", "f1")
	second := take("flood", "f2")
	take("flood", "f3")
	take("late", "l1")
	second.leave() // and again below, without effect
	second.leave()
	take("other", "o1")
	if len(lost) != 1 || lost[0] != "f1" || p.count != 4 {
		t.Errorf("lost %v, %d held", lost, p.count)
	}
	take("last", "x1") // everybody has one now
	if want := []string{"f1", "q1"}; !slices.Equal(lost, want) {
		t.Errorf("lost %v, want %v", lost, want)
	}
	quiet.leave()
	if p.count != 4 || len(p.held) != 4 {
		t.Errorf("%d of %d callers", p.count, len(p.held))
	}
	for range 1000 { // the first of them displaces the one left from before
		take("flood", "f4").leave()
	}
	if want := []string{"f1", "q1", "f3"}; !slices.Equal(lost, want) || p.count != 3 {
		t.Errorf("lost %v, want %v; %d held", lost, want, p.count)
	}
}

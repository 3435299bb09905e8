package inbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Items are available in order until they are done, even to another process. Partially written ones are not.
func TestInboxKeeps(t *testing.T) {
	b := Box{Dir: filepath.Join(t.TempDir(), "in", "box"), Most: 3}
	if left, err := b.Left(); err != nil || len(left) != 0 {
		t.Fatalf("nothing yet: %v, %v", left, err)
	}
	began := time.Unix(1_760_000_000, 5)
	for i, text := range []string{"one", "two", "three"} {
		if _, err := b.Put([]byte(text), began.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Put([]byte("four"), began); err == nil {
		t.Error("more was taken than may be")
	}
	if err := os.WriteFile(filepath.Join(b.Dir, ".new-123"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	left, err := Box{Dir: b.Dir}.Left()
	if err != nil || len(left) != 3 || string(left[0].Payload) != "one" || !left[0].At.Equal(began) || string(left[2].Payload) != "three" {
		t.Fatalf("left %+v, %v", left, err)
	}
	for range 2 { // like two processes
		if err := left[0].Done(); err != nil {
			t.Error(err)
		}
	}
	if left, err := b.Left(); err != nil || len(left) != 2 || string(left[0].Payload) != "two" {
		t.Errorf("left %+v, %v", left, err)
	}
	if _, err := (Box{Dir: "/proc/no", Most: 1}).Put(nil, began); err == nil {
		t.Error("put where nothing can be written")
	}
}

// The order is kept even if the clock is set back or forth.
func TestOrderWhenTheClockJumps(t *testing.T) {
	b := Box{Dir: t.TempDir(), Most: 10}
	now := time.Unix(1_760_000_000, 0)
	for _, c := range []struct {
		text string
		at   time.Time
	}{{"one", now}, {"two", now.Add(-time.Hour)}, {"three", now.Add(-time.Hour)}, {"four", now.Add(time.Hour)}, {"five", now}} {
		if _, err := b.Put([]byte(c.text), c.at); err != nil {
			t.Fatal(err)
		}
	}
	left, err := b.Left()
	var got []string
	for _, item := range left {
		got = append(got, string(item.Payload))
	}
	if want := []string{"one", "two", "three", "four", "five"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q: %v", got, want, err)
	}
}

package intaketest

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
)

// maxID limits the length of an id. Workflow ids may be longer, but this one is also used in folder names and search attributes.
const maxID = 200

const body = "Greet people in French.\n\n- `Bonjour` by day\n- `Bonsoir` after six\n"

func testNothing(t *testing.T, h Harness) { listed(t, h) }

func testList(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	i := listed(t, h, key)[0]
	if !h.Single && !strings.Contains(i.Title, "Greet in French") || i.Title == "" || strings.ContainsAny(i.Title, "\n\r") {
		t.Errorf("title %q", i.Title)
	}
	if i.ID == "" {
		t.Errorf("no id: %+v", i)
	}
}

func testOrder(t *testing.T, h Harness) {
	var want []string
	for n := range 12 {
		want = append(want, h.Add(t, fmt.Sprintf("Piece %d", n+1), body))
	}
	listed(t, h, want...)
}

func testStop(t *testing.T, h Harness) {
	first := h.Add(t, "One", body)
	if !h.Single {
		h.Add(t, "Two", body)
		h.Add(t, "Three", body)
	}
	var got []string
	err := h.Source.List(soon(t), h.Query, func(i intake.Item) bool {
		got = append(got, i.Key)
		return false
	})
	must(t, "List that is stopped", err)
	if len(got) != 1 || got[0] != first {
		t.Errorf("visited %q, want only %q", got, first)
	}
}

// testIDs: the same work always has the same workflow id.
func testIDs(t *testing.T, h Harness) {
	want := []string{h.Add(t, "Naïve   title / with \\ \"signs\" 日本 "+strings.Repeat("and it goes on ", 12), body)}
	if !h.Single {
		want = append(want, h.Add(t, "Same title", body), h.Add(t, "Same title", body))
	}
	first, second := listed(t, h, want...), listed(t, h, want...)
	seen := map[string]bool{}
	for n, i := range first {
		if second[n] != i {
			t.Errorf("listed as %+v, then as %+v", i, second[n])
		}
		if w := read(t, h, i.Key); w.ID != i.ID || w.Sum != i.Sum || w.Key != i.Key {
			t.Errorf("listed as %+v, read as %+v", i, w.Item)
		}
		if seen[i.ID] {
			t.Errorf("two pieces of work have the id %q", i.ID)
		}
		seen[i.ID] = true
		bad := strings.IndexFunc(i.ID, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsGraphic(r) || r == ' ' })
		if i.ID == "" || len(i.ID) > maxID || bad >= 0 {
			t.Errorf("id %q: want at most %d printable bytes without spaces", i.ID, maxID)
		}
	}
}

func testRead(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	w := read(t, h, key)
	text := w.Task
	if w.Issue != nil {
		text += "\n" + w.Issue.Title + "\n" + w.Issue.Body
	}
	for _, want := range []string{"Greet in French", "Greet people in French.", "Bonsoir"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in what is read: %q", want, text)
		}
	}
	if w.Task == "" || w.No != "" {
		t.Errorf("task %q, no %q", w.Task, w.No)
	}
	listed(t, h, key) // reading changes nothing
	shown(t, h, key)
}

// testReadWhileListing: a listed item may be used before the list ends.
func testReadWhileListing(t *testing.T, h Harness) {
	h.Add(t, "One", body)
	if !h.Single {
		h.Add(t, "Two", body)
	}
	n := 0
	err := h.Source.List(soon(t), h.Query, func(i intake.Item) bool {
		if w := read(t, h, i.Key); w.ID != i.ID {
			t.Errorf("listed with id %q, read with %q", i.ID, w.ID)
		}
		n++
		return true
	})
	if err != nil || n == 0 {
		t.Errorf("%d visited, %v", n, err)
	}
}

func testUnknown(t *testing.T, h Harness) {
	key := h.Add(t, "There", body)
	_, err := h.Source.Read(soon(t), h.Query, h.Unknown)
	failed(t, h, "Read of what is not there", err, fault.NotFound)
	err = h.Reporter.Claim(soon(t), h.Query, h.Unknown, intake.Note{TaskID: "t1", Text: "Begun."})
	failed(t, h, "Claim of what is not there", err, fault.NotFound, fault.Conflict)
	listed(t, h, key)
}

func testRemoved(t *testing.T, h Harness) {
	key := h.Add(t, "Soon gone", body)
	h.Remove(t, key)
	listed(t, h)
	_, err := h.Source.Read(soon(t), h.Query, key)
	failed(t, h, "Read of what was removed", err, fault.NotFound)
}

func testEdited(t *testing.T, h Harness) {
	key := h.Add(t, "Greet in French", body)
	before := read(t, h, key)
	h.Edit(t, key, "Greet people in Danish.\n")
	after := read(t, h, key)
	text := after.Task
	if after.Issue != nil {
		text += after.Issue.Body
	}
	if !strings.Contains(text, "Danish") || strings.Contains(text, "Bonsoir") {
		t.Errorf("read after the edit: %q", text)
	}
	if before.Sum == after.Sum {
		t.Errorf("the sum %q did not change with the text", after.Sum)
	}
	if i := listed(t, h, key)[0]; i.ID != after.ID || i.Sum != after.Sum {
		t.Errorf("listed as %+v, read as %+v", i, after.Item)
	}
}

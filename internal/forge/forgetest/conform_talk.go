package forgetest

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// wrote checks what the forge's own account has written, by what each comment holds.
func wrote(t *testing.T, f Fixture, number int, want ...string) {
	t.Helper()
	got := f.Comments(t, number)
	same := len(got) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = strings.Contains(got[i], want[i])
	}
	if !same {
		t.Errorf("at #%d %d comments were written: %q, want %q", number, len(got), got, want)
	}
}

func testCommentAgain(t *testing.T, f Fixture) {
	talker := can[forge.Talker](t, f)
	for _, number := range []int{f.AddIssue(t, "Greet in French"), ensure(t, f, request(t, f)).Number} {
		for _, c := range []struct{ key, text string }{
			{"task-1/start", "I have begun."}, {"task-1/start", "I have begun, and then some."}, {"task-1/end", "I am done."},
			{"task-1/start", "I have begun."},
		} {
			if err := talker.Comment(t.Context(), f.Repository, number, c.key, c.text); err != nil {
				t.Fatalf("Comment: %v", err)
			}
		}
		wrote(t, f, number, "I have begun.", "I am done.")
	}
}

func testReactAgain(t *testing.T, f Fixture) {
	talker := can[forge.Talker](t, f)
	comment := f.Say(t, f.AddIssue(t, "Greet in French"), "/longshift retry")
	for i, want := range []bool{true, false, false} {
		if fresh, err := talker.React(t.Context(), f.Repository, comment); err != nil || fresh != want {
			t.Errorf("call %d: React gave %t, %v, want %t", i, fresh, err, want)
		}
	}
	if _, err := talker.React(t.Context(), f.Repository, 987654321); fault.KindOf(err) != fault.NotFound {
		t.Errorf("React to what is missing: %v", err)
	}
	if _, _, err := talker.Issue(t.Context(), f.Repository, 987654321); fault.KindOf(err) != fault.NotFound {
		t.Errorf("Issue of what is missing: %v", err)
	}
}

func testAnswerAgain(t *testing.T, f Fixture) {
	follower := can[forge.Follower](t, f)
	p := ensure(t, f, request(t, f))
	f.Say(t, p.Number, "/longshift explain")
	poll := func(seen string) forge.Snapshot {
		t.Helper()
		l, err := follower.Snapshot(t.Context(), f.Repository, p.Number, seen)
		if err != nil {
			t.Fatalf("Snapshot: %v", err)
		}
		return l
	}
	asked := poll("")
	if len(asked.Items) != 1 || asked.State != forge.Open {
		t.Fatalf("the snapshot is %+v, want one item", asked)
	}
	replies := []forge.Reply{{Item: asked.Items[0], Text: "It is French.", Key: "task-1/1"}}
	for range 2 {
		if err := follower.Answer(t.Context(), f.Repository, p.Number, replies); err != nil {
			t.Fatalf("Answer: %v", err)
		}
	}
	wrote(t, f, p.Number, "It is French.")
	after := poll(asked.Stamp)
	if after.Unchanged || len(after.Items) != 0 {
		t.Errorf("after the answer the snapshot is %+v, want no item", after)
	}
	if !poll(after.Stamp).Unchanged {
		t.Error("the snapshot has changed, and nothing has happened")
	}
}

package channeltest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
)

func postCall(t *testing.T, f Fixture) error {
	_, err := f.Channel.Post(soon(t), f.Room, message("k-fail", "Hello."), false)
	return err
}

// failing checks the error of each kind of call after a failure, and that the next call succeeds.
func failing(t *testing.T, f Fixture, kind Failure, check func(err error)) {
	t.Run("post", func(t *testing.T) {
		f.Fail(t, kind)
		check(postCall(t, f))
		none(t, f)
		post(t, f, f.Room, message("k-after", "It goes on."))
	})
	t.Run("edit", func(t *testing.T) {
		at := post(t, f, f.Room, message("k1", "Before."))
		f.Fail(t, kind)
		check(f.Channel.Edit(soon(t), at, message("k1", "After.")))
		if s := find(t, f, at); strings.Contains(s.Text, "After.") {
			t.Errorf("a failed edit shows %q", s.Text)
		}
		if err := f.Channel.Edit(soon(t), at, message("k1", "After.")); err != nil {
			t.Errorf("edit after the failure: %v", err)
		}
	})
}

func testServerError(t *testing.T, f Fixture) {
	failing(t, f, ServerError, func(err error) { failed(t, f, err, fault.Infra) })
}

func testRateLimit(t *testing.T, f Fixture) {
	failing(t, f, RateLimit, func(err error) {
		failed(t, f, err, fault.Infra)
		var later *fault.Later
		if !errors.As(err, &later) {
			t.Errorf("got %T %v, want a *fault.Later", err, err)
		} else if later.After != Wait {
			t.Errorf("wait %v, want %v", later.After, Wait)
		}
	})
}

func testBadToken(t *testing.T, f Fixture) {
	failing(t, f, BadToken, func(err error) { failed(t, f, err, fault.Denied) })
}

func testNoRoom(t *testing.T, f Fixture) {
	failing(t, f, NoRoom, func(err error) { failed(t, f, err, fault.NotFound, fault.Denied) })
}

// testLost loses the answer to a call that succeeded.
func testLost(t *testing.T, f Fixture) {
	m := message("k-lost", "Only once.")
	m.Buttons = buttons()
	f.Lose(t)
	_, err := f.Channel.Post(soon(t), f.Room, m, false)
	failed(t, f, err, fault.Infra)
	if n := len(f.Shown(t, f.Room)); n != 1 {
		t.Fatalf("%d messages stand after a call whose answer was lost, want 1", n)
	}
	at, err := f.Channel.Post(soon(t), f.Room, m, true)
	if err != nil {
		t.Fatalf("Post again: %v", err)
	}
	shown := f.Shown(t, f.Room)
	if want := map[bool]int{true: 1, false: 2}[f.Searchable]; len(shown) != want {
		t.Errorf("%d messages stand, want %d", len(shown), want)
	}
	if last := shown[len(shown)-1]; last.ID != at.Message {
		t.Errorf("place %q, message %q", at.Message, last.ID)
	}
	if f.Searchable { // another key is another message
		post(t, f, f.Room, message("k-other", "Only once."))
		if n := len(f.Shown(t, f.Room)); n != 2 {
			t.Errorf("%d messages stand after one with another key, want 2", n)
		}
	}
}

// testAgain sets again although there is nothing to find.
func testAgain(t *testing.T, f Fixture) {
	post(t, f, f.Room, message("k1", "First."))
	at, err := f.Channel.Post(soon(t), f.Room, message("k2", "Second."), true)
	if err != nil {
		t.Fatalf("Post again: %v", err)
	}
	has(t, find(t, f, at).Text, "Second.")
}

func testLostEdit(t *testing.T, f Fixture) {
	at := post(t, f, f.Room, message("k1", "Before."))
	f.Lose(t)
	failed(t, f, f.Channel.Edit(soon(t), at, message("k1", "After.")), fault.Infra)
	if err := f.Channel.Edit(soon(t), at, message("k1", "After.")); err != nil {
		t.Fatalf("Edit again: %v", err)
	}
	has(t, find(t, f, at).Text, "After.")
}

func ended(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx, cancel
}

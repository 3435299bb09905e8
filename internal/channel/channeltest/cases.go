package channeltest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func always(Fixture) bool { return true }

// buttons returns the maximum number of buttons, with tokens of maximum length.
func buttons() []channel.Button {
	return []channel.Button{
		{Label: "Approve", Token: "approve." + strings.Repeat("x", 52), Style: channel.Primary},
		{Label: "Edit", Token: "edit.task-1.2"},
		{Label: "Reject", Token: "reject.task-1.2", Style: channel.Danger},
	}
}

// message has a unique key, since no two messages of a room share one.
func message(key, text string) channel.Message { return channel.Message{Key: key, Text: text} }

// post writes a message and returns its place. It fails the test on an error.
func post(t *testing.T, f Fixture, to task.Room, m channel.Message) task.MessageRef {
	t.Helper()
	at, err := f.Channel.Post(t.Context(), to, m, false)
	if err != nil {
		t.Fatalf("Post %q: %v", m.Key, err)
	}
	if at.Channel != to.Channel || at.ID != to.ID || at.Message == "" {
		t.Fatalf("Post %q to %+v gives place %+v", m.Key, to, at)
	}
	return at
}

func find(t *testing.T, f Fixture, at task.MessageRef) Shown {
	t.Helper()
	all := f.Shown(t, f.Room)
	for _, s := range all {
		if s.ID == at.Message {
			return s
		}
	}
	t.Fatalf("no message %q stands among %+v", at.Message, all)
	return Shown{}
}

func all(shown []Shown) string {
	var texts []string
	for _, s := range shown {
		texts = append(texts, s.Text)
	}
	return strings.Join(texts, "\n")
}

// has checks that a text contains words in this order.
func has(t *testing.T, text string, words ...string) {
	t.Helper()
	rest := text
	for _, w := range words {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Fatalf("%q is not in its place in:\n%s", w, channel.Shorten(text, 4000))
		}
		rest = after
	}
}

// standing converts buttons to the form in which Shown has them.
func standing(buttons []channel.Button) (list []Button) {
	for _, b := range buttons {
		list = append(list, Button{b.Label, b.Token})
	}
	return list
}

// failed checks that an error has one of the kinds and does not contain the channel's secret.
func failed(t *testing.T, f Fixture, err error, kinds ...fault.Kind) {
	t.Helper()
	if err == nil {
		t.Fatalf("it went well, want %v", kinds)
	}
	if f.Token != "" {
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(fmt.Sprintf("%v %+v %#v %s", e, e, e, fault.HintOf(e)), f.Token) {
				t.Errorf("the token stands in the error %T", e)
			}
		}
	}
	for _, k := range kinds {
		if fault.KindOf(err) == k {
			return
		}
	}
	t.Errorf("got %v (%s), want %v", err, fault.KindOf(err), kinds)
}

func none(t *testing.T, f Fixture) {
	t.Helper()
	if shown := f.Shown(t, f.Room); len(shown) > 0 {
		t.Errorf("a failed call wrote %+v", shown)
	}
}

// soon returns a context that ends after Patience, so that a hanging call fails its own case.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// later is a time for Message.Until.
func later() time.Time { return time.Now().Add(20 * time.Minute) }

package channeltest

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func file(key string) channel.File {
	return channel.File{Key: key, Name: "pull-request-12.diff", Note: "What **pull request #12** changes <!channel>",
		Text: "diff --git a/x b/x\n-<!channel> & *a*\n+\xff\n"}
}

func attach(t *testing.T, f Fixture, to task.Room, one channel.File, again bool) {
	t.Helper()
	if err := f.Channel.(channel.Attacher).Attach(t.Context(), to, one, again); err != nil {
		t.Fatalf("Attach %q: %v", one.Key, err)
	}
}

// files returns the files of the room, which must be n.
func files(t *testing.T, f Fixture, n int) []File {
	t.Helper()
	all := f.Files(t, f.Room)
	if len(all) != n {
		t.Fatalf("%d files stand, want %d: %+v", len(all), n, all)
	}
	return all
}

func testFile(t *testing.T, f Fixture) {
	one := file("k1")
	attach(t, f, f.Room, one, false)
	attach(t, f, f.Room, one, true) // it is there
	got := files(t, f, 1)[0]
	if got.Text != one.Text || got.Thread != "" || !strings.HasPrefix(got.Name, "pull-request-12") || !strings.HasSuffix(got.Name, ".diff") {
		t.Errorf("file %+v", got)
	}
	has(t, got.Note, "What pull request #12 changes")
	if f.Mentions != nil && f.Mentions(t) != 0 {
		t.Errorf("the note calls people: %q", got.Note)
	}
	attach(t, f, f.Room, file("k2"), true) // another one of the same name
	files(t, f, 2)
	one.Text = ""
	failed(t, f, f.Channel.(channel.Attacher).Attach(t.Context(), f.Room, one, false), fault.Input)
}

func testFileInThread(t *testing.T, f Fixture) {
	room := f.Thread(t)
	attach(t, f, room, file("k1"), false)
	attach(t, f, room, file("k1"), true)
	if got := files(t, f, 1)[0]; got.Thread != room.Thread {
		t.Errorf("the file stands in thread %q, want %q", got.Thread, room.Thread)
	}
}

func testLostFile(t *testing.T, f Fixture) {
	f.Lose(t)
	err := f.Channel.(channel.Attacher).Attach(soon(t), f.Room, file("k1"), false)
	failed(t, f, err, fault.Infra)
	attach(t, f, f.Room, file("k1"), true)
	files(t, f, 1)
}

func testRefusedFile(t *testing.T, f Fixture) {
	f.Fail(t, BadToken)
	err := f.Channel.(channel.Attacher).Attach(soon(t), f.Room, file("k1"), false)
	failed(t, f, err, fault.Denied)
	files(t, f, 0)
}

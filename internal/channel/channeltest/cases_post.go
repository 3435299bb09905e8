package channeltest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// everything uses each kind of block and span.
const everything = "# Plan\n\nGreet in **French**, *softly*, ~~loudly~~ with `Bonjour()`.\n\n" +
	"- first\n  - second\n- [x] third\n\n1. one\n2. two\n\n" +
	"> quoted words\n\n```go\nfmt.Println(\"a < b && c\")\n```\n\n---\n\n" +
	"See [the page](https://example.com/a?b=1&c=2). Signs: < > & * _ ~ ` | \\ . ! # + - = { } ( )\n"

func testPost(t *testing.T, f Fixture) {
	at := post(t, f, f.Room, message("k1", everything))
	has(t, find(t, f, at).Text, "Plan", "Greet in", "French", "softly", "loudly", "Bonjour()", "first", "second", "third", "one", "two",
		"quoted words", `fmt.Println("a < b && c")`, "the page", "Signs: < > & * _ ~ ` | \\ . ! # + - = { } ( )")
	if n := len(f.Shown(t, f.Room)); n != 1 {
		t.Errorf("%d messages stand, want 1", n)
	}
	if next := post(t, f, f.Room, message("k2", "More.")); next.Message == at.Message {
		t.Errorf("two messages at %+v", at)
	}
}

// testLiteral posts plain words that are markup on one of the platforms.
func testLiteral(t *testing.T, f Fixture) {
	at := post(t, f, f.Room, message("k1",
		"a &lt;b> <b>bold?</b> {c} |d| snake_case_name 2 \\* 3 \\*x\\* &amp;amp; \\~y\\~ \\`z\\` <https://example.com/x|words>"))
	has(t, find(t, f, at).Text, "a <b> <b>bold?</b> {c} |d| snake_case_name 2 * 3 *x* &amp; ~y~ `z`")
}

func testButtons(t *testing.T, f Fixture) {
	m := message("k1", "Approve the plan?")
	m.Buttons = buttons()
	at := post(t, f, f.Room, m)
	if got := find(t, f, at).Buttons; !slices.Equal(got, standing(m.Buttons)) {
		t.Errorf("buttons %+v, want %+v", got, standing(m.Buttons))
	}
	has(t, find(t, f, at).Text, "Approve the plan?")
}

// testFoot posts a plan as people decide about it: a title, lists, small print.
func testFoot(t *testing.T, f Fixture) {
	m := message("k1", "# Plan, revision 2\n\nFix the login.\n\n- [ ] FIX-001: read it\n  - no error\n- [x] FIX-002: write it\n\nDecide:")
	m.Foot, m.Buttons = "$0.25 of $20.00 · [Temporal Web](https://example.com/task) · `task-1`", buttons()
	at := post(t, f, f.Room, m)
	s := find(t, f, at)
	has(t, all(f.Shown(t, f.Room)), "Plan, revision 2", "Fix the login.", "FIX-001: read it", "no error", "FIX-002: write it", "Decide:",
		"$0.25 of $20.00", "Temporal Web", "task-1")
	if !slices.Equal(s.Buttons, standing(m.Buttons)) {
		t.Errorf("buttons %+v", s.Buttons)
	}
}

func testTooManyButtons(t *testing.T, f Fixture) {
	m := message("k1", "Choose.")
	m.Buttons = append(buttons(), channel.Button{Label: "More", Token: "more"})
	_, err := f.Channel.Post(soon(t), f.Room, m, false)
	failed(t, f, err, fault.Input)
	none(t, f)
}

func testUntil(t *testing.T, f Fixture) {
	m := message("k1", "Approve the plan?")
	m.Buttons, m.Until, m.Then = buttons(), later(), "approved automatically"
	at := post(t, f, f.Room, m)
	has(t, strings.ToLower(find(t, f, at).Text), "approve the plan?", "approved automatically")
}

func testSound(t *testing.T, f Fixture) {
	loud, quiet := message("k1", "Somebody has to act."), message("k2", "For your information.")
	loud.Loud = true
	if s := find(t, f, post(t, f, f.Room, loud)).Sound; s == Silent {
		t.Error("the loud message is silent")
	}
	if s := find(t, f, post(t, f, f.Room, quiet)).Sound; s == Loud {
		t.Error("the quiet message is loud")
	}
}

func testEmpty(t *testing.T, f Fixture) {
	for _, text := range []string{"", " \n\t\n", "\u200b\u202e"} {
		m := message("k1", text)
		m.Buttons = buttons()
		_, err := f.Channel.Post(soon(t), f.Room, m, false)
		failed(t, f, err, fault.Input)
	}
	none(t, f)
}

func testThread(t *testing.T, f Fixture) {
	room := f.Thread(t)
	at := post(t, f, room, message("k1", "In the thread."))
	if at.Room != room {
		t.Errorf("place %+v, want it in %+v", at, room)
	}
	if s := find(t, f, at); s.Thread != room.Thread {
		t.Errorf("stands in thread %q, want %q", s.Thread, room.Thread)
	}
	if s := find(t, f, post(t, f, f.Room, message("k2", "Beside it."))); s.Thread != "" {
		t.Errorf("a message of the room stands in thread %q", s.Thread)
	}
}

// calls are the syntaxes in which platforms let a text notify people.
const calls = "@channel @here @everyone @all @someuser @some_user <!channel> <!here> <!everyone> " +
	"<!subteam^S123> <@U123> <#C123> <@123456> " +
	"[x](tg://user?id=123456) <tg://user?id=123456> <a href=\"tg://user?id=1\">x</a> " +
	"\\<!channel\\> &lt;!channel&gt; &#60;@U123&#62; @15551234567 " +
	"[<!here>](https://example.com/) [@someuser](https://example.com/) **@channel** *@here* `@someuser` <!date^1^{date}|x> "

func testMentions(t *testing.T, f Fixture) {
	m := message("k1", calls+"\n\n# "+calls+"\n\n> "+calls+"\n\n- "+calls+"\n\n```\n"+calls+"\n<!channel>\n@channel\n```\n\n@everyone")
	m.Then, m.Until = "asks <!channel> and @channel and @someuser", later()
	m.Buttons = []channel.Button{{Label: "@channel <!here>", Token: "one"}}
	at := post(t, f, f.Room, m)
	if n := f.Mentions(t); n != 0 {
		t.Errorf("%d live mentions in %+v", n, f.Shown(t, f.Room))
	}
	has(t, find(t, f, at).Text, "channel", "someuser")
	if err := f.Channel.Edit(t.Context(), at, m); err != nil {
		t.Fatalf("Edit: %v", err)
	}
	if n := f.Mentions(t); n != 0 {
		t.Errorf("%d live mentions after an edit", n)
	}
}

func testConcurrent(t *testing.T, f Fixture) {
	const n = 8
	places := make([]task.MessageRef, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			m := message(fmt.Sprint("k", i), fmt.Sprintf("Message number %d.", i))
			at, err := f.Channel.Post(soon(t), f.Room, m, i%2 == 1)
			if err != nil {
				t.Errorf("Post %d: %v", i, err)
			}
			places[i] = at
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}
	for i, at := range places {
		has(t, find(t, f, at).Text, fmt.Sprintf("Message number %d.", i))
	}
	if got := len(f.Shown(t, f.Room)); got != n {
		t.Errorf("%d messages stand, want %d", got, n)
	}
}

func testEnded(t *testing.T, f Fixture) {
	ctx, cancel := ended(t)
	defer cancel()
	start := time.Now()
	if _, err := f.Channel.Post(ctx, f.Room, message("k1", "Too late."), true); err == nil {
		t.Error("Post went well after its context had ended")
	} else {
		failed(t, f, err, fault.KindOf(err))
	}
	if d := time.Since(start); d > Patience {
		t.Errorf("it took %v", d)
	}
	none(t, f)
}

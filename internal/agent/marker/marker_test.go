package marker

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/cputest"
	"github.com/longshift/longshift/task"
)

// result is what a parser makes of a text.
type result struct {
	Visible    string
	Markers    []task.Marker
	Unfinished []task.Marker
}

func parse(role task.Role, pieces ...string) result {
	p := New(role)
	var r result
	var all strings.Builder
	for _, s := range pieces {
		visible, markers := p.Write(s)
		all.WriteString(visible)
		r.Markers = append(r.Markers, markers...)
	}
	visible, markers, unfinished := p.Close()
	r.Visible = all.String() + visible
	r.Markers = append(r.Markers, markers...)
	r.Unfinished = unfinished
	return r
}

func one(kind task.MarkerKind, text string) []task.Marker {
	return []task.Marker{{Kind: kind, Text: text}}
}

func TestMarkersAreFoundAndRemoved(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		role task.Role
		text string
		want result
	}{
		{"on lines of their own", task.Implementer, "Working.\n<NOTE>\nThe clock is UTC.\n</NOTE>\nOn.\n<DONE>\nfeat: add it\n</DONE>\n",
			result{Visible: "Working.\n\nOn.\n\n", Markers: []task.Marker{{Kind: task.Note, Text: "The clock is UTC."}, {Kind: task.Done, Text: "feat: add it"}}}},
		{"in a line", task.Implementer, "All good. <DONE>fix: it</DONE> Bye.",
			result{Visible: "All good.  Bye.", Markers: one(task.Done, "fix: it")}},
		{"one after the other", task.Implementer, "<NOTE>a</NOTE><NOTE>b</NOTE>",
			result{Markers: []task.Marker{{Kind: task.Note, Text: "a"}, {Kind: task.Note, Text: "b"}}}},
		{"after the end of a sentence", task.Reviewer, "Fine.<APPROVED>ok</APPROVED>", result{Visible: "Fine.", Markers: one(task.Approved, "ok")}},
		{"empty", task.Implementer, "<DONE></DONE>", result{Markers: one(task.Done, "")}},
		{"other tags inside are content", task.Implementer, "<NOTE>see <b>this</b> and </DONE> < 3 <NO</NOTE>",
			result{Markers: one(task.Note, "see <b>this</b> and </DONE> < 3 <NO")}},
		{"a stray end tag is text", task.Implementer, "a </DONE> b", result{Visible: "a </DONE> b"}},
		{"lower case is text", task.Implementer, "<done>x</done> <DONE >x</DONE >", result{Visible: "<done>x</done> <DONE >x</DONE >"}},
		{"plain text", task.Planner, "if a < b && c > d { x <- 1 }", result{Visible: "if a < b && c > d { x <- 1 }"}},
	}
	check(t, tests)
}

func TestTagsInCodeAndWordsAreText(t *testing.T) {
	t.Parallel()
	fence := "Say:\n```xml\n<DONE>x</DONE>\n```\n<DONE>y</DONE>"
	tests := []struct {
		name string
		role task.Role
		text string
		want result
	}{
		{"fence", task.Implementer, fence, result{Visible: strings.TrimSuffix(fence, "<DONE>y</DONE>"), Markers: one(task.Done, "y")}},
		{"longer fence", task.Implementer, "````\n```\n<DONE>x</DONE>\n```\n````\n", result{Visible: "````\n```\n<DONE>x</DONE>\n```\n````\n"}},
		{"fence of tildes", task.Implementer, "~~~\n<DONE>x</DONE>\n```\n<DONE>x</DONE>\n~~~\n", result{Visible: "~~~\n<DONE>x</DONE>\n```\n<DONE>x</DONE>\n~~~\n"}},
		{"indented fence", task.Implementer, "- a\n    ```\n    <DONE>x</DONE>\n    ```\n", result{Visible: "- a\n    ```\n    <DONE>x</DONE>\n    ```\n"}},
		{"a fence needs its own line to end", task.Implementer, "```\n```x <DONE>a</DONE>\n", result{Visible: "```\n```x <DONE>a</DONE>\n"}},
		{"inline code", task.Implementer, "Use `<DONE>x</DONE>` at the end.", result{Visible: "Use `<DONE>x</DONE>` at the end."}},
		{"inline code of two ticks", task.Implementer, "``a ` <DONE>x</DONE> `` <DONE>y</DONE>", result{Visible: "``a ` <DONE>x</DONE> `` ", Markers: one(task.Done, "y")}},
		{"three ticks in a line", task.Implementer, "```a``` <DONE>y</DONE>", result{Visible: "```a``` ", Markers: one(task.Done, "y")}},
		{"inline code ends with its line", task.Implementer, "a ` b\n<DONE>y</DONE>", result{Visible: "a ` b\n", Markers: one(task.Done, "y")}},
		{"part of a word", task.Implementer, "x<DONE>y</DONE>", result{Visible: "x<DONE>y</DONE>"}},
		{"quoted", task.Implementer, `I end with "<DONE>x</DONE>" or '<DONE>' or “<DONE>”.`, result{Visible: `I end with "<DONE>x</DONE>" or '<DONE>' or “<DONE>”.`}},
		{"escaped", task.Implementer, `\<DONE>x</DONE>`, result{Visible: `\<DONE>x</DONE>`}},
	}
	check(t, tests)
}

func TestMarkersInsideMarkers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		role task.Role
		text string
		want result
	}{
		{"the outer one wins", task.Reviewer, "<REQUEST_CHANGES>I can't say <APPROVED>yes</APPROVED> yet</REQUEST_CHANGES>",
			result{Markers: one(task.RequestChanges, "I can't say <APPROVED>yes</APPROVED> yet")}},
		{"a second of the same kind shows that the first was mentioned", task.Implementer, "I will say <DONE> at the end.\n<DONE>all</DONE>",
			result{Visible: "I will say <DONE> at the end.\n", Markers: one(task.Done, "all")}},
		{"what a mention swallowed is read again", task.Implementer, "Markers: <NOTE> and <DONE> exist.\n<NOTE>n</NOTE>\n<DONE>d</DONE>",
			result{Visible: "Markers: <NOTE> and <DONE> exist.\n\n", Markers: []task.Marker{{Kind: task.Note, Text: "n"}, {Kind: task.Done, Text: "d"}}}},
		{"the end tag in a fence inside is content", task.Implementer, "<NOTE>\n```\n</NOTE>\n```\nend</NOTE>",
			result{Markers: one(task.Note, "```\n</NOTE>\n```\nend")}},
		{"the end tag in inline code inside is content", task.Implementer, "<NOTE>use `</NOTE>` so</NOTE>", result{Markers: one(task.Note, "use `</NOTE>` so")}},
		{"a stray tick does not hide the end", task.Implementer, "<NOTE>rock 5` tall</NOTE> on\n<DONE>d</DONE>",
			result{Visible: " on\n", Markers: []task.Marker{{Kind: task.Note, Text: "rock 5` tall"}, {Kind: task.Done, Text: "d"}}}},
		{"a stray tick at the end of the text", task.Implementer, "<DONE>5` tall</DONE>", result{Markers: one(task.Done, "5` tall")}},
		{"a fence without end inside", task.Implementer, "<NOTE>\n```go\nx\n</NOTE>\nthen\n<DONE>d</DONE>",
			result{Visible: "\nthen\n", Markers: []task.Marker{{Kind: task.Note, Text: "```go\nx"}, {Kind: task.Done, Text: "d"}}}},
	}
	check(t, tests)
}

func TestUnfinishedMarkersStayInTheText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		role task.Role
		text string
		want result
	}{
		{"no end", task.Implementer, "a <DONE>half", result{Visible: "a <DONE>half", Unfinished: one(task.Done, "half")}},
		{"half an end", task.Implementer, "<DONE>half</DO", result{Visible: "<DONE>half</DO", Unfinished: one(task.Done, "half</DO")}},
		{"half a start", task.Implementer, "a <DON", result{Visible: "a <DON"}},
		{"one that swallowed others", task.Implementer, "<NOTE> is for notes. <DONE>d</DONE> bye",
			result{Visible: "<NOTE> is for notes.  bye", Markers: one(task.Done, "d"), Unfinished: one(task.Note, "is for notes. <DONE>d</DONE> bye")}},
	}
	check(t, tests)
}

func check(t *testing.T, tests []struct {
	name string
	role task.Role
	text string
	want result
}) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, parse(tt.role, tt.text)); diff != "" {
				t.Errorf("in one piece (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, parse(tt.role, strings.Split(tt.text, "")...)); diff != "" {
				t.Errorf("character by character (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEachRoleHasItsMarkers(t *testing.T) {
	t.Parallel()
	want := map[task.Role]string{
		task.Planner:     "SPEC_ISSUE PLAN_COMPLETE",
		task.Implementer: "NOTE FINDING SPEC_ISSUE PROGRESS DONE BLOCKED",
		task.Reviewer:    "FINDING SPEC_ISSUE APPROVED REQUEST_CHANGES",
		"auditor":        "TO_BE_DISCUSSED",
		"nobody":         "",
	}
	for role, list := range want {
		for _, kind := range kinds {
			text := "<" + string(kind) + ">x</" + string(kind) + ">"
			r := parse(role, text)
			if strings.Contains(" "+list+" ", " "+string(kind)+" ") {
				if len(r.Markers) != 1 || r.Visible != "" {
					t.Errorf("%s may emit %s, got %+v", role, kind, r)
				}
			} else if len(r.Markers) != 0 || r.Visible != text {
				t.Errorf("%s may not emit %s, got %+v", role, kind, r)
			}
		}
	}
}

func TestTextIsShownAsSoonAsItCanBe(t *testing.T) {
	t.Parallel()
	p := New(task.Implementer)
	steps := []struct{ in, out string }{
		{"Hello, ", "Hello, "}, {"a <", "a "}, {"DO", ""}, {"G> b", "<DOG> b"}, {" <NOTE>x", " "}, {"y</NOTE>", ""}, {"z", "z"}}
	for _, s := range steps {
		if got, _ := p.Write(s.in); got != s.out {
			t.Errorf("after %q: shown %q, want %q", s.in, got, s.out)
		}
	}
}

func TestLongContentIsCutAndMemoryIsBounded(t *testing.T) {
	t.Parallel()
	p := New(task.Implementer)
	p.Write("<NOTE>")
	line := strings.Repeat("é", 511) + "\n" // 1023 bytes
	for range 4096 {
		if visible, markers := p.Write(line); visible != "" || markers != nil {
			t.Fatal("nothing may come before the end")
		}
		if cap(p.open.raw) > 2*kept {
			t.Fatalf("holds %d bytes", cap(p.open.raw))
		}
	}
	visible, markers := p.Write("</NOTE>on")
	if visible != "on" || len(markers) != 1 {
		t.Fatalf("got %q, %d markers", visible, len(markers))
	}
	text, mark, _ := strings.Cut(markers[0].Text, "\n[cut: ")
	if len(text) > Limit || len(text) < Limit-4 || strings.ToValidUTF8(text, "") != text {
		t.Errorf("text has %d bytes or a broken character", len(text))
	}
	if want := "4124672 more bytes]"; mark != want {
		t.Errorf("cut mark %q, want %q", mark, want)
	}
}

// Hostile text must not make the parser slow. The bound is far above what a linear parser needs.
func TestHostileTextIsReadInTime(t *testing.T) {
	t.Parallel()
	ticks := func(n int) (s string) {
		for i := range n {
			s += "<NOTE>" + strings.Repeat("`", i+1) + "</NOTE>"
		}
		return s
	}
	fences := func(n int) (s string) {
		for i := range n {
			s += "<NOTE>\n" + strings.Repeat("`", n+3-i) + "\n</NOTE>\n"
		}
		return s
	}
	for name, text := range map[string]string{
		"mentions":    strings.Repeat("<NOTE> <DONE> <PROGRESS> <SPEC_ISSUE> <BLOCKED> ", 5000),
		"same":        strings.Repeat("<NOTE> ", 40000),
		"angles":      strings.Repeat("<", 1<<18),
		"ticks":       ticks(200) + "\n" + ticks(200),
		"fences":      fences(200),
		"never ended": "<NOTE>" + strings.Repeat("<DONE> `</NOTE> ", 15000),
	} {
		cputest.Bounded(t, name, func() {
			parse(task.Implementer, text)
			parse(task.Implementer, strings.SplitAfter(text, ">")...)
		})
	}
}

package telegram

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/telegram/telegramtest"
)

// as converts a part to a message of the simulated server.
func as(p part) telegramtest.Message {
	m := telegramtest.Message{Sent: p.text}
	for _, e := range p.entities {
		m.Entities = append(m.Entities, telegramtest.Entity{Type: string(e.Type), Offset: e.Offset, Length: e.Length, URL: e.URL, Language: e.Language})
	}
	return m
}

func units(s string) int { return len(utf16.Encode([]rune(s))) }

// marks returns each entity with its text.
func marks(t *testing.T, p part) (list []string) {
	t.Helper()
	m := as(p)
	if err := m.Check(); err != nil {
		t.Fatalf("%v in %q", err, p.text)
	}
	for _, e := range m.Entities {
		list = append(list, e.Type+e.Language+" "+m.Cut(e)+e.URL)
	}
	return list
}

// TestOffsets uses characters outside of the basic plane, which are two units long, so that wrong offsets show.
func TestOffsets(t *testing.T) {
	const text = "# 🎉 Plan 🚀\n\n🙂 **bold 🎈 words** é `co🦄de` then [a 🌍 link](https://example.com/x) and *soft* ~~gone~~ ***both***\n\n" +
		"> said 🐢 `here`\n\n- 🧪 item **one**\n  - two\n\n```go\nx := \"🎯\"\n\ty()\n```\n\nend **here**"
	got := parts(channel.Message{Text: text}, time.Now(), 1)
	if len(got) != 1 {
		t.Fatalf("%d parts", len(got))
	}
	want := []string{
		"bold 🎉 Plan 🚀", "bold bold 🎈 words", "code co🦄de", "text_link a 🌍 linkhttps://example.com/x",
		"text_link https://example.com/xhttps://example.com/x", "italic soft", "strikethrough gone",
		"bold both", "italic both", "code here", "blockquote said 🐢 here", "bold one", "prego x := \"🎯\"\n    y()", "bold here",
	}
	if d := cmp.Diff(want, marks(t, got[0])); d != "" {
		t.Error(d)
	}
	const shown = "🎉 Plan 🚀\n\n🙂 bold 🎈 words é co🦄de then a 🌍 link (https://example.com/x) and soft gone both\n\nsaid 🐢 here\n\n• 🧪 item one\n" +
		"\u2002\u2002• two\n\nx := \"🎯\"\n    y()\n\nend here"
	if d := cmp.Diff(shown, got[0].text); d != "" {
		t.Error(d)
	}
}

func TestCountdownIsTheLastLine(t *testing.T) {
	now := time.Date(2026, 3, 1, 14, 12, 0, 0, time.UTC)
	m := channel.Message{Text: "Approve?", Until: now.Add(20 * time.Minute), Then: "approved by @everybody"}
	p := parts(m, now, 1)[0]
	if want := "Approve?\n\nApproved by @\u2060everybody at 14:32 UTC, in 20 minutes"; p.text != want {
		t.Errorf("%q", p.text)
	}
	m.Text = strings.Repeat("many words ", 2000)
	for _, n := range []int{1, mostParts} {
		list := parts(m, now, n)
		for i, p := range list {
			if last := strings.HasSuffix(p.text, "in 20 minutes"); units(p.text) > mostText || last != (i == len(list)-1) {
				t.Errorf("part %d of %d has %d units, ends with %q", i, len(list), units(p.text), p.text[len(p.text)-20:])
			}
		}
	}
}

func TestDefused(t *testing.T) {
	for text, want := range map[string]string{
		"ask @ada and (@bob)":             "ask @~ada and (@~bob)",
		"@**ada**":                        "@~ada",
		"`@`ada":                          "@~ada",
		"@`ada`":                          "@~ada",
		"a mail to ada@example.com":       "a mail to ada@~example.com",
		"@ alone, @!":                     "@ alone, @!",
		"/start now":                      "/~start now",
		"say (/approve@bot x1)":           "say (/~approve@~bot x1)",
		"/*start*":                        "/~start",
		"either/or, 1/2":                  "either/or, 1/2",
		"https://example.com/a/b":         "https://example.com/a/b",
		"tg://resolve?domain=x":           "tg:/~/~resolve?domain=x",
		"TON://transfer/x":                "TON:/~/~transfer/x",
		"see t.me/evil":                   "see t.~me/evil",
		"see T.ME/evil or evil.t.me":      "see T.~ME/evil or evil.t.~me",
		"Telegram.dog/x telegram.me":      "Telegram.~dog/x telegram.~me",
		"get.me at.me":                    "get.me at.me",
		"[join](https://t.me/+abc)":       "join (https://t.~me/+abc)",
		"[x](https://sub.telegram.me/)":   "x (https://sub.telegram.~me/)",
		"[here](https://t.me:443/joinme)": "here (https://t.~me:443/joinme)",
		"`/start @ada t.me/x`":            "/start @ada t.me/x",
		"```\n/start @ada tg://x\n```":    "/start @ada tg://x",
	} {
		p := parts(channel.Message{Text: text}, time.Now(), 1)
		if len(p) != 1 {
			t.Errorf("%q: %d parts", text, len(p))
			continue
		}
		if got := strings.ReplaceAll(p[0].text, string(joiner), "~"); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
		if l := as(p[0]).Live(); len(l) > 0 {
			t.Errorf("%q: live: %q", text, l)
		}
	}
}

// TestTooManyEntities checks that code blocks keep their entities when the limit is reached, and that no reference takes
// effect.
func TestTooManyEntities(t *testing.T) {
	var text strings.Builder
	for i := range 130 {
		fmt.Fprintf(&text, "**b%d** `@name%d` ", i, i)
	}
	text.WriteString("\n\n```sh\n/start @name\n```\n\n```sh\nrm @name\n```\n")
	p := parts(channel.Message{Text: text.String()}, time.Now(), 1)[0]
	got := marks(t, p)
	if len(got) != mostEntities || !slices.Contains(got, "presh /start @name") || !slices.Contains(got, "presh rm @name") {
		t.Errorf("%d entities, the last ones %q", len(got), got[len(got)-2:])
	}
	if l := as(p).Live(); len(l) > 0 {
		t.Errorf("live: %q", l)
	}
}

func TestLanguage(t *testing.T) {
	for info, want := range map[string]string{"go": "prego x", "c++": "prec++ x", "": "pre x"} {
		p := parts(channel.Message{Text: "```" + info + "\nx\n```"}, time.Now(), 1)[0]
		if got := marks(t, p); len(got) != 1 || got[0] != want {
			t.Errorf("%q: %q", info, got)
		}
	}
	odd := parts(channel.Message{Text: "```\"><b>\nx\n```"}, time.Now(), 1)[0]
	if got := marks(t, odd); len(got) != 2 || got[0] != "code \"><b>" || got[1] != "pre x" {
		t.Errorf("what is no language: %q", got)
	}
}

// FuzzRender checks that Telegram accepts each part of any text, and that no reference takes effect.
func FuzzRender(f *testing.F) {
	for _, s := range []string{"**@**a", "> `x`\n> **y**", "# `a` *b*", "1. a\n   - b\n\n     ```go\n     c\n     ```", "[`x`](https://t.me/y)",
		"| a | b |\n|---|---|\n| @x | /y |", "***a** b*", "🎉**🎉**", "---", "t.**me**", "tg:**//**x", "/\u200bstart", "\\@x", "&#64;x"} {
		f.Add(s, uint16(0))
	}
	f.Fuzz(func(t *testing.T, text string, more uint16) {
		text += strings.Repeat(" "+text, int(more)%50)
		m := channel.Message{Text: text, Until: time.Unix(1e9, 0), Then: "/x @y"}
		for _, p := range parts(m, time.Unix(0, 0), mostParts) {
			s := as(p)
			if err := s.Check(); err != nil {
				t.Fatalf("%v in %q", err, p.text)
			}
			if l := s.Live(); len(l) > 0 || units(p.text) > mostText || strings.ContainsAny(p.text, "\t\r") {
				t.Fatalf("%d units, live %q in %q", units(p.text), l, p.text)
			}
		}
	})
}

package whatsapp

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/whatsapp/whatsapptest"
)

func TestRender(t *testing.T) {
	for markdown, want := range map[string]string{
		"# Plan *now*\n\ntext":         "*Plan* *_now_*\n\ntext",
		"**b** *i* ~~s~~ `m`":          "*b* _i_ ~s~ ```m```",
		"***both***":                   "*_both_*",
		"**b**old":                     "bold", // marks within a word would be visible
		"x **two words ** y":           "x ∗∗two words ∗∗ y",
		"- a\n- b\n  - c\n\nend":       "• a\n• b\n   • c\n\nend",
		"1. a\n2. b":                   "1. a\n2. b",
		"> q\n> r":                     "> q r",
		"```go\na := `x`\n\n*b*\n```":  "```a := `x`\n\n*b*```",
		"````\n```\nrm\n```\n````":     "```ˋˋˋ\nrm\nˋˋˋ```",
		"`` `tick` ``":                 "```ˋtickˋ```",
		"[page](https://a.example/x)":  "page (https://a.example/x)",
		"<https://a.example/_x_/y_z~>": "https://a.example/%5Fx%5F/y_z%7E",
		"[*a* b](https://a.example/)":  "_a_ b (https://a.example/)",
		`\*x\* \_y\_ \~z\~`:            "∗x∗ ＿y＿ ∼z∼",
		"max_retries 2*3 a~b":          "max_retries 2*3 a~b",
		"_x":                           "＿x",
		"\\> no quote":                 "› no quote",
		"\\- no item":                  "– no item",
		"a  \n\\> no quote":            "a\n› no quote",
		"---":                          "———",
		"@all @15551234567":            "@all @15551234567",
	} {
		if got := render(channel.Read(markdown)); got != want {
			t.Errorf("%q\n got %q\nwant %q", markdown, got, want)
		}
	}
}

// Plain text can't format anything, and stays readable.
func TestWordsFormatNothing(t *testing.T) {
	words := []string{"*bold*", "_it_", "~st~", "`m`", "```code```", "```", "*_~x~_*", "a*b*c", "(*x*)", "*a\nb*", "> q", "- i", "* i", "ä*x*ä", "__x__", "*", "_", " ", "x", "\n"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		for range 1 + r.IntN(8) {
			b.WriteString(words[r.IntN(len(words))])
		}
		plain := b.String()
		got := render([]channel.Block{{Spans: []channel.Span{{Text: plain}}}})
		seen, code, live := whatsapptest.Look(got)
		if live != 0 || len(code) != 0 {
			t.Fatalf("%q is sent as %q, of which %d marks take effect", plain, got, live)
		}
		if want := strings.Trim(plain, "\n"); strings.NewReplacer("›", ">", "– ", "- ").Replace(seen) != want {
			t.Fatalf("%q is seen as %q", want, seen)
		}
	}
}

// Intended marks take effect, whatever they contain.
func TestMarksHold(t *testing.T) {
	for _, inside := range []string{"a*b", "x *y* z", "end*", "_", "a_ b", "`q`", "two\nlines"} {
		got := render([]channel.Block{{Spans: []channel.Span{{Text: "before "}, {Text: inside, Bold: true}, {Text: " after"}}}})
		seen, _, live := whatsapptest.Look(got)
		if want := 1 + strings.Count(inside, "\n"); live != want || seen != "before "+inside+" after" {
			t.Errorf("%q is sent as %q and seen as %q with %d marks, want %d", inside, got, seen, live, want)
		}
	}
}

// size is never less than what is sent, and never shrinks when a block grows.
func TestSize(t *testing.T) {
	text := "a *b* _c_ `d` ```e``` > f\n> g 😀 https://x.example/_y_ " + strings.Repeat("_", 20)
	kinds := []channel.BlockKind{channel.Paragraph, channel.Heading, channel.Item, channel.Quote, channel.Code, channel.Rule}
	for _, kind := range kinds {
		for style := range 32 {
			last := 0
			for n := range []rune(text) {
				part := string([]rune(text)[:n])
				s := channel.Span{Text: part, Bold: style&1 > 0, Italic: style&2 > 0, Strike: style&4 > 0, Mono: style&8 > 0}
				if style&16 > 0 {
					s.Link = "https://x.example/_y_"
				}
				b := channel.Block{Kind: kind, Level: 2, Mark: "12.", Code: part, Spans: []channel.Span{s, {Text: "end"}}}
				now := size(b)
				if sent := channel.Length(one(b)) + 2; now < sent || now < last {
					t.Fatalf("kind %d, style %d, %q: size %d after %d, sent %d", kind, style, part, now, last, sent)
				}
				last = now
			}
		}
	}
}

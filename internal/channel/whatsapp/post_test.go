package whatsapp

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/whatsapp/whatsapptest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

var (
	room = task.Room{Channel: channel.WhatsApp, ID: ada}
	yes  = channel.Button{Label: "Yes", Token: "yes.1"}
)

func post(t *testing.T, w *WhatsApp, to task.Room, m channel.Message) task.MessageRef {
	t.Helper()
	at, err := w.Post(t.Context(), to, m, false)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestWhatIsSent(t *testing.T) {
	p := whatsapptest.New(t)
	w := open(t, p, nil)
	in := task.Room{Channel: channel.WhatsApp, ID: ada, Thread: "wamid.theirs"}
	at := post(t, w, in, channel.Message{Key: "k1", Text: "**Done**: see https://example.com/x"})
	post(t, w, task.Room{ID: "US.13491208655302741918"}, channel.Message{Key: "k2", Text: "Go on?",
		Buttons: []channel.Button{yes, {Label: "A label of more than twenty", Token: "no-1"}},
		Until:   noon.Add(20 * time.Minute), Then: "approved automatically"})
	got := p.Messages("")
	want := []whatsapptest.Message{
		{ID: at.Message, To: ada, QuotedID: "wamid.theirs", Key: "k1", Type: "text", Text: "Done: see https://example.com/x",
			Sent: "*Done*: see https://example.com/x"},
		{ID: got[1].ID, To: "US.13491208655302741918", Key: "k2", Type: "interactive", Text: "Go on?\n\nApproved automatically at 12:20 UTC, in 20 minutes",
			Sent:    "Go on?\n\n_Approved automatically at 12:20 UTC, in 20 minutes_",
			Buttons: []whatsapptest.Button{{Text: "Yes", Data: "yes.1"}, {Text: "A label of more tha…", Data: "no-1"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if at.Room != in {
		t.Errorf("place %+v", at)
	}
}

// A long message of which some parts were sent goes on behind them, and one that is sent is not sent again.
func TestLongGoesOn(t *testing.T) {
	p := whatsapptest.New(t)
	calls := &pausing{RoundTripper: p.Client().Transport}
	w := open(t, p, func(c *Config) { c.HTTP = &http.Client{Transport: calls} })
	m := channel.Message{Key: "k1", Text: strings.Repeat("A line of a long text.\n\n", 600)}
	at := post(t, w, room, m)
	whole := len(p.Messages(""))
	if whole < 3 {
		t.Fatalf("%d parts", whole)
	}
	if again, err := w.Post(t.Context(), room, m, true); err != nil || !reflect.DeepEqual(again, at) || len(p.Messages("")) != whole {
		t.Errorf("%v: at %+v, %d messages; it is at %+v, %d", err, again, len(p.Messages("")), at, whole)
	}
	m.Key = "k2"
	calls.before = 2
	if _, err := w.Post(t.Context(), room, m, false); fault.KindOf(err) != fault.Infra || len(p.Messages("")) != whole+1 {
		t.Fatalf("%v, %d messages", err, len(p.Messages("")))
	}
	if at, err := w.Post(t.Context(), room, m, true); err != nil || len(p.Messages("")) != 2*whole || at.Message != p.Messages("")[2*whole-1].ID {
		t.Errorf("%v: at %+v, %d messages, want %d", err, at, len(p.Messages("")), 2*whole)
	}
}

// pausing lets so many calls through, and then asks for a pause, once.
type pausing struct {
	http.RoundTripper
	before int // 0 for no pause
}

func (p *pausing) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.before > 0 {
		if p.before--; p.before == 0 {
			answer := httptest.NewRecorder()
			whatsapptest.Problem(http.StatusTooManyRequests, 130429, "Rate limit hit")(answer, r)
			return answer.Result(), nil
		}
	}
	return p.RoundTripper.RoundTrip(r)
}

// A long text is sent before the buttons, which follow its heading.
func TestLongWithButtons(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		parts int
		lead  string
	}{
		"fits":     {strings.Repeat("x", 1024), 1, strings.Repeat("x", 1024)},
		"heading":  {"intro\n\n# The *plan*\n\n" + strings.Repeat("word ", 300), 2, "*The plan*"},
		"line":     {strings.Repeat("word ", 1500), 3, "*" + strings.Repeat("word ", 59) + "word…*"},
		"wide":     {strings.Repeat("😀", 600), 2, "*" + strings.Repeat("😀", 149) + "…*"},
		"rule":     {"```\n" + strings.Repeat("code\n", 300) + "```", 2, "*code*"},
		"too long": {strings.Repeat("word ", 12000), 9, "*" + strings.Repeat("word ", 59) + "word…*\n\n_" + notAll + "_"},
	} {
		p := whatsapptest.New(t)
		at := post(t, open(t, p, nil), room, channel.Message{Key: "k", Text: c.text, Buttons: []channel.Button{yes}})
		got := p.Messages("")
		last := got[len(got)-1]
		if len(got) != c.parts || last.Sent != c.lead || last.ID != at.Message || len(last.Buttons) != 1 {
			t.Errorf("%s: %d messages, the last one %q with %v", name, len(got), last.Sent, last.Buttons)
		}
		for _, m := range got[:len(got)-1] {
			if m.Type != "text" || m.Key != "k" || len(m.Sent) < 1024 {
				t.Errorf("%s: part %q", name, m.Sent)
			}
		}
	}
}

// All parts arrive in order, with the countdown at the end, whatever the length.
func TestLongWithoutButtons(t *testing.T) {
	var text strings.Builder
	for i := range 150 {
		fmt.Fprintf(&text, "part %03d %s\n\n", i, strings.Repeat("and so on ", 15))
	}
	p := whatsapptest.New(t)
	at := post(t, open(t, p, nil), room, channel.Message{Text: text.String(), Until: noon.Add(time.Hour), Then: strings.Repeat("stopped ", 100)})
	got := p.Messages("")
	all := ""
	for _, m := range got {
		all += m.Sent
	}
	for i := range 150 {
		if !strings.Contains(all, fmt.Sprintf("part %03d", i)) {
			t.Errorf("part %d is missing", i)
		}
	}
	if last := got[len(got)-1]; len(got) < 6 || last.ID != at.Message || !strings.Contains(last.Sent, "_Stopped stopped") {
		t.Errorf("%d messages, the last one %q", len(got), last.Sent)
	}
}

// An address that gets longer when escaped neither breaks a message nor hides text.
func TestHugeAddress(t *testing.T) {
	p := whatsapptest.New(t)
	w := open(t, p, nil)
	for _, n := range []int{500, 1900} {
		post(t, w, room, channel.Message{Text: "see [words](https://x.example/" + strings.Repeat("_", n) + ")"})
	}
	got := p.Messages("")
	if want := "see words (https://x.example/" + strings.Repeat("%5F", 500) + ")"; got[0].Sent != want ||
		got[1].Sent != "see words (https://x.example/"+strings.Repeat("＿", 1900)+")" {
		t.Errorf("sent %q", got)
	}
}

func TestCodeAtTheLimit(t *testing.T) {
	line := strings.Repeat("c", 39) + "\n"
	for _, lines := range []int{90, 102, 103, 400} {
		p := whatsapptest.New(t)
		post(t, open(t, p, nil), room, channel.Message{Text: "Before.\n\n```\n" + strings.Repeat(line, lines) + "```\n\nAfter."})
		n := 0
		for _, m := range p.Messages("") {
			_, code, _ := whatsapptest.Look(m.Sent)
			for _, c := range code {
				n += strings.Count(c, "\n") + 1
			}
			if strings.Count(m.Sent, fence)%2 != 0 {
				t.Errorf("%d lines: a fence is open in %q", lines, m.Sent)
			}
		}
		if n != lines {
			t.Errorf("%d lines of code stand, want %d", n, lines)
		}
	}
}

// All parts of any text respect the API's limits.
func TestEveryTextFits(t *testing.T) {
	w := open(t, whatsapptest.New(t), nil)
	pieces := []string{"word ", "*b* ", "😀", "`code` ", "\n\n", "\n- item ", "\n> quote ", "\n# head ", "\n```\n", "[x](https://x.example/_a_*b*~c~) ", "__", "ä", strings.Repeat("_", 50), strings.Repeat("long", 400)}
	r := rand.New(rand.NewPCG(3, 4))
	for range 120 {
		var b strings.Builder
		b.WriteString("x")
		for range r.IntN(400) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		m := channel.Message{Text: b.String(), Until: noon.Add(time.Hour), Then: strings.Repeat("😀 ", r.IntN(400))}
		if r.IntN(2) == 0 {
			m.Buttons = []channel.Button{yes}
		}
		parts, err := w.compose(room, m)
		if err != nil {
			t.Fatalf("%q: %v", m.Text, err)
		}
		for i, p := range parts {
			wrong := ""
			if p.Type == "text" {
				wrong = whatsapptest.TooMuch("text", p.Text.Body, 4096)
			} else {
				wrong = whatsapptest.TooMuch("body", p.Interactive.Body.Text, 1024)
			}
			if wrong != "" || (p.Interactive != nil) != (m.Buttons != nil && i == len(parts)-1) {
				t.Fatalf("part %d of %d of %q: %s", i, len(parts), m.Text, wrong)
			}
		}
	}
}

func TestQuietEdits(t *testing.T) {
	p := whatsapptest.New(t)
	w := open(t, p, nil)
	at := post(t, w, room, channel.Message{Key: "k", Text: "Go on?", Buttons: []channel.Button{yes}})
	if err := w.Edit(t.Context(), at, channel.Message{Key: "k", Text: "Half done."}); err != nil || len(p.Messages("")) != 1 {
		t.Errorf("progress: %v, %d messages", err, len(p.Messages("")))
	}
	if err := w.Edit(t.Context(), at, channel.Message{Key: "k", Text: "Approved.", Loud: true}); err != nil {
		t.Error(err)
	}
	if got := p.Messages(""); len(got) != 2 || got[1].QuotedID != at.Message || got[1].Sent != "Approved." || got[1].To != ada {
		t.Errorf("sent %+v", got)
	}
	if err := w.Edit(t.Context(), task.MessageRef{Room: room}, channel.Message{Text: "x", Loud: true}); fault.KindOf(err) != fault.Input {
		t.Errorf("an edit of nothing: %v", err)
	}
	if w.Edits() {
		t.Error("it says that it can edit")
	}
}

func TestWrongMessages(t *testing.T) {
	p := whatsapptest.New(t)
	w := open(t, p, nil)
	ok := channel.Message{Text: "x", Buttons: []channel.Button{yes}}
	with := func(b ...channel.Button) channel.Message { return channel.Message{Text: "x", Buttons: b} }
	for name, c := range map[string]struct {
		to   task.Room
		m    channel.Message
		says string
	}{
		"plus":        {task.Room{ID: "+" + ada}, ok, `"+16505551234"`},
		"no room":     {task.Room{}, ok, `""`},
		"path":        {task.Room{ID: "../1"}, ok, `"../1"`},
		"channel":     {task.Room{Channel: "slack", ID: ada}, ok, "slack"},
		"no text":     {room, channel.Message{Text: " \n"}, "text"},
		"four":        {room, with(yes, yes, yes, yes), "4 buttons"},
		"no label":    {room, with(channel.Button{Label: " ", Token: "a"}), "label"},
		"no token":    {room, with(channel.Button{Label: "a"}), "token"},
		"bad token":   {room, with(channel.Button{Label: "a", Token: "a b"}), "letters"},
		"long token":  {room, with(channel.Button{Label: "a", Token: strings.Repeat("a", 257)}), "256"},
		"same label":  {room, with(yes, channel.Button{Label: "Yes", Token: "yes.2"}), "same"},
		"same token":  {room, with(yes, channel.Button{Label: "No", Token: "yes.1"}), "same"},
		"same in cut": {room, with(channel.Button{Label: strings.Repeat("a", 21), Token: "a"}, channel.Button{Label: strings.Repeat("a", 22), Token: "b"}), "same"},
	} {
		_, err := w.Post(t.Context(), c.to, c.m, false)
		if fault.KindOf(err) != fault.Input || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := p.Messages(""); len(got) != 0 {
		t.Errorf("sent %+v", got)
	}
}

func TestConfig(t *testing.T) {
	good := Config{Token: give("a"), AppSecret: give("b"), VerifyToken: give("c"), PhoneNumberID: "1"}
	w, err := New(good)
	if err != nil || w.api != "https://graph.facebook.com/v23.0/1/messages" {
		t.Fatalf("%v, %+v", err, w)
	}
	for name, change := range map[string]func(*Config){
		"token":        func(c *Config) { c.Token = nil },
		"secret":       func(c *Config) { c.AppSecret = nil },
		"verify":       func(c *Config) { c.VerifyToken = nil },
		"number":       func(c *Config) { c.PhoneNumberID = "1/../2" },
		"version":      func(c *Config) { c.Version = "latest" },
		"scheme":       func(c *Config) { c.BaseURL = "ftp://x" },
		"in the clear": func(c *Config) { c.BaseURL = "http://graph.example" },
		"user":         func(c *Config) { c.BaseURL = "https://me:" + accessed + "@x" },
		"no url":       func(c *Config) { c.BaseURL = "https://x\x7f" + accessed },
	} {
		c := good
		change(&c)
		if _, err := New(c); fault.KindOf(err) != fault.Input || strings.Contains(err.Error(), accessed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A redirect is not followed, since it would send the message, and perhaps the token, elsewhere.
func TestRedirect(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer elsewhere.Close()
	p := whatsapptest.New(t)
	w := open(t, p, nil)
	for _, status := range []int{302, 307} {
		p.Fail(func(rw http.ResponseWriter, r *http.Request) { http.Redirect(rw, r, elsewhere.URL, status) })
		if _, err := w.Post(t.Context(), room, channel.Message{Text: "x"}, false); fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" {
			t.Errorf("%d: %v", status, err)
		}
	}
}

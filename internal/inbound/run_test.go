package inbound

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.handle(says(boss, "run fix the *login*, please --budget $7.5 --time 60m --base main --approval required --label bug --label ui,web --draft --iterations 2"))
	if len(w.server.starts) != 1 {
		t.Fatalf("answer %q, started %v", a.Text, w.server.starts)
	}
	want := `{"repository":"acme/web","task":"fix the *login*, please","base":"main","requestedBy":{"name":"Ada","via":"slack"},
		"room":{"channel":"slack","id":"C1","thread":"1700000009.000900"},
		"config":{"budget":{"cost":7.5,"time":"60m"},"approval":{"mode":"required"},"iterations":2,"pullRequest":{"draft":true,"labels":["bug","ui","web"]}}}`
	var wanted, got any
	encoded, err := json.Marshal(w.server.inputs[0])
	if err != nil || json.Unmarshal([]byte(want), &wanted) != nil || json.Unmarshal(encoded, &got) != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Error(diff)
	}
	o := w.server.starts[0]
	if !regexp.MustCompile(`^acme-web-fix-the-login-please-[0-9a-f]{8}$`).MatchString(o.ID) || w.server.list[o.ID].kind != signals.CodingTask {
		t.Errorf("id %s", o.ID)
	}
	if o.StaticSummary != `fix the \*login\*, please` || !strings.HasPrefix(o.StaticDetails,
		"**Repository** acme/web\n\n**Requested by** Ada\n\nfix the \\*login") {
		t.Errorf("summary %q, details %q", o.StaticSummary, o.StaticDetails)
	}
	if o.TypedSearchAttributes.Size() != 2 {
		t.Errorf("search attributes %v", o.TypedSearchAttributes)
	}
	if want := "Task `" + o.ID + "` runs in acme/web. [Temporal Web](https://temporal.example.com/namespaces/default/workflows/" + o.ID + "/run-of-" +
		o.ID + "/user-metadata)"; a.Text != want {
		t.Errorf("answer %q\nwant   %q", a.Text, want)
	}
	if last := w.last(); !last.Done || last.Task != o.ID || last.Verb != command.Run || len(w.acts) != 2 || w.acts[0].Reason != Asked {
		t.Errorf("recorded %+v", w.acts)
	}
}

// Texts for a room are redacted, paths of this machine too.
func TestRunShowsNoPath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Repository = "/home/" + secret + "/web" })
	if a := w.handle(says(boss, "run fix it")); len(w.server.starts) != 1 || !strings.Contains(a.Text, "runs in /home/") || strings.Contains(a.Text, secret) {
		t.Errorf("answer %q", a.Text)
	}
}

func TestRunAgainIsTheSameRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ev := says(boss, "run fix it")
	first, second := w.handle(ev), w.handle(ev)
	ev.ID = "ev-2"
	third := w.handle(ev)
	if first.Text != second.Text || first.Text == third.Text || len(w.server.list) != 2 {
		t.Errorf("%q, %q, %q", first.Text, second.Text, third.Text)
	}
	w.server.down = errDown
	if _, err := w.handler.Handle(t.Context(), ev); fault.KindOf(err) != fault.Infra {
		t.Errorf("without a server: %v", err)
	}
}

func TestRunRepository(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, repository, task string
		reply                  string // of a refusal
	}{
		"default":             {"run fix it", "acme/web", "fix it", ""},
		"named":               {"run acme/api fix it", "acme/api", "fix it", ""},
		"of a managed user":   {"run ada_acme/api fix it", "ada_acme/api", "fix it", ""},
		"an address":          {"run https://github.com/acme/api fix it", "", "", "Addresses of repositories are not taken from a chat."},
		"of the hosts":        {"run http://169.254.169.254/latest/meta-data fix it", "", "", "Addresses of repositories are not taken"},
		"of Slack":            {"run <https://github.com/acme/api|acme/api> fix it", "", "", "Addresses of repositories are not taken"},
		"short form of git":   {"run git@github.com:acme/api.git fix it", "", "", "Addresses of repositories are not taken"},
		"address as option":   {"run fix it --repo https://github.com/acme/api", "", "", "Addresses of repositories are not taken"},
		"ssh with an option":  {"run ssh://-oProxyCommand=id/x fix it", "", "", "Addresses of repositories are not taken"},
		"no owner":            {"run fix it --repo web", "", "", "The repository is not written as owner/name."},
		"dots":                {"run acme/.. fix it", "", "", "The repository is not written as owner/name."},
		"option":              {"run fix it --repo acme/api", "acme/api", "fix it", ""},
		"quoted":              {`run "fix it -- now" --base main`, "acme/web", "fix it -- now", ""},
		"option in the text":  {"run add a --json flag to list --budget 5", "acme/web", "add a --json flag to list", ""},
		"lines":               {"run fix it:\n\n- here\n- there", "acme/web", "fix it:\n\n- here\n- there", ""},
		"path":                {"run /etc fix it", "", "", "Paths are not taken from a chat."},
		"relative":            {"run ../x fix it", "", "", "Paths are not taken from a chat."},
		"home":                {"run ~/x fix it", "", "", "Paths are not taken from a chat."},
		"file":                {"run FILE:///etc fix it", "", "", "Addresses of repositories are not taken"},
		"path as option":      {"run fix it --repo /etc", "", "", "Paths are not taken from a chat."},
		"token in it":         {"run https://tok@github.com/a/b fix it", "", "", "Addresses of repositories are not taken"},
		"password in it":      {"run https://u:tok@github.com/a/b fix it", "", "", "Addresses of repositories are not taken"},
		"an issue":            {"run https://github.com/acme/web/issues/7 fix it", "", "", "Addresses of repositories are not taken"},
		"strange scheme":      {"run ext::sh fix it", "acme/web", "ext::sh fix it", ""},
		"strange address":     {"run gopher://x/y fix it", "", "", "Addresses of repositories are not taken"},
		"nothing":             {"run", "", "", "The task is missing"},
		"only options":        {"run --budget 5", "", "", "The task is missing"},
		"only a repository":   {"run acme/api", "", "", "The task is missing"},
		"unknown option":      {"run fix it --bugdet 5", "", "", "--bugdet: unknown option of run. Use --repo, --base, --budget"},
		"check is no option":  {"run fix it --check \"rm -rf /\"", "", "", "--check: unknown option of run."},
		"setup is no option":  {"run fix it --setup ls", "", "", "--setup: unknown option of run."},
		"id is no option":     {"run fix it --id x", "", "", "--id: unknown option of run."},
		"no amount":           {"run fix it --budget five", "", "", "--budget five: not an amount of US dollars."},
		"no value":            {"run fix it --budget", "", "", "--budget: its value is missing. Write --budget 5."},
		"flag with value":     {"run fix it --draft now", "", "", "--draft now: it takes no value."},
		"twice":               {"run fix it --budget 5 --budget 6", "", "", "--budget appears twice."},
		"bad approval":        {"run fix it --approval maybe", "", "", "config.approval.mode is"},
		"bad branch":          {"run fix it --base --upload-pack=x", "", "", "--base: its value is missing."},
		"bad branch in quote": {"run fix it --base \"--upload-pack=x\"", "", "", "Base is"},
		"too long":            {"run " + strings.Repeat("x", 33<<10), "", "", "Task has"},
		"much too long":       {"run " + strings.Repeat("x", 50<<10), "", "", "The text has"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			a := w.handle(says(boss, tt.text))
			if tt.reply != "" {
				if len(w.server.starts) != 0 || !strings.HasPrefix(a.Text, tt.reply) || strings.Contains(a.Text, "tok") || w.last().Done || len(a.Text) > 1000 {
					t.Errorf("answer %q, started %v", a.Text, w.server.starts)
				}
				return
			}
			if len(w.server.inputs) != 1 {
				t.Fatalf("answer %q", a.Text)
			}
			in, _ := w.server.inputs[0].(task.Input)
			if in.Repository != tt.repository || in.Task != tt.task {
				t.Errorf("started %+v", in)
			}
		})
	}
}

func TestRunOfAPathThatIsTheDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Repository = "/srv/web" })
	for i, text := range []string{"run fix it", "run /srv/web fix it", "run fix it --repo /srv/web"} {
		ev := says(boss, text)
		ev.ID += string(rune('a' + i))
		w.handle(ev)
		if in, _ := w.server.inputs[len(w.server.inputs)-1].(task.Input); len(w.server.inputs) != i+1 || in.Repository != "/srv/web" || in.Task != "fix it" {
			t.Errorf("%s: %+v", text, w.server.inputs)
		}
	}
	w = newWorld(t, func(c *Config) { c.Repository = "" })
	if a := w.handle(says(boss, "run fix it")); !strings.HasPrefix(a.Text, "The repository is missing.") || len(w.server.starts) != 0 {
		t.Errorf("without a default: %q", a.Text)
	}
}

func TestWhoMayNotApproveMayNotLoosenTheApproval(t *testing.T) {
	t.Parallel()
	for text, started := range map[string]bool{
		"run fix it --approval none": false, "run fix it --approval auto": false, "run fix it --approve-after 1s": false,
		"run fix it --approval required": true, "run fix it": true,
	} {
		w := newWorld(t)
		if a := w.handle(says(starter, text)); (len(w.server.starts) == 1) != started {
			t.Errorf("%s: %q", text, a.Text)
		}
		w = newWorld(t)
		if a := w.handle(says(boss, text)); len(w.server.starts) != 1 {
			t.Errorf("%s by one who may: %q", text, a.Text)
		}
	}
}

// TestWhoMayNotApproveMayNotChooseTheRules: the branch and the repository hold the configuration, with the approval in it.
func TestWhoMayNotApproveMayNotChooseTheRules(t *testing.T) {
	t.Parallel()
	for text, guarded := range map[string]bool{
		"run fix it": false, "run acme/web fix it": false, "run fix it --budget 5": false, "run fix it --base my-branch": true, "run fix it --base main": true,
		"run acme/mine fix it": true, "run fix it --repo acme/mine": true, "run Acme/Web fix it": true, "run acme/mine fix it --base x --approval required": true,
	} {
		for _, user := range []string{starter, boss} {
			w := newWorld(t)
			a := w.handle(says(user, text))
			if len(w.server.inputs) != 1 {
				t.Fatalf("%q by %s: %q", text, user, a.Text)
			}
			in, _ := w.server.inputs[0].(task.Input)
			mode := any(nil)
			if in.Config != nil {
				mode, _ = in.Config.Lookup("approval.mode")
			}
			asked := strings.Contains(text, "--approval")
			if want := guarded && user == starter; (mode == any(task.ApprovalRequired)) != (want || asked) ||
				strings.Contains(a.Text, "has to let its plan pass") != want {
				t.Errorf("%q by %s: approval %v, answer %q", text, user, mode, a.Text)
			}
		}
	}
	w := newWorld(t, func(c *Config) { c.Repository = "" })
	w.handle(says(starter, "run acme/web fix it"))
	if in, _ := w.server.inputs[0].(task.Input); in.Config == nil || *in.Config.Approval.Mode != task.ApprovalRequired {
		t.Errorf("without a default every repository is another one: %+v", in)
	}
}

func TestRunThread(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*channel.Event)
		want   task.Room
	}{
		"below the request": {func(*channel.Event) {}, task.Room{Channel: "slack", ID: room, Thread: "1700000009.000900"}},
		"slash command":     {func(ev *channel.Event) { ev.Message = "" }, task.Room{Channel: "slack", ID: room}},
		"in a thread":       {func(ev *channel.Event) { ev.Room.Thread, ev.ReplyTo = "1.1", "1.1" }, task.Room{Channel: "slack", ID: room, Thread: "1.1"}},
		"telegram": {func(ev *channel.Event) { ev.Room = task.Room{Channel: channel.Telegram, ID: "-100"}; ev.Message = "7" },
			task.Room{Channel: "telegram", ID: "-100"}},
	} {
		w := newWorld(t, func(c *Config) { c.People[channel.Telegram] = c.People[channel.Slack] })
		ev := says(boss, "run fix it")
		tt.change(&ev)
		w.handle(ev)
		if in, _ := w.server.inputs[0].(task.Input); in.Room == nil || *in.Room != tt.want {
			t.Errorf("%s: %+v", name, in.Room)
		}
	}
}

// TestNamesAndTextsDoNoHarm: texts that people choose are data everywhere.
func TestNamesAndTextsDoNoHarm(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"ada_l": "ada_l", "Ada Lovelace": "Ada Lovelace", "Zoë O'Neil-Ümit": "Zoë O'Neil-Ümit", "李雷": "李雷",
		"[click](https://evil.example) *now*": "clickhttpsevil.example now", "<!channel> @here": "channel here", "a\nb\u202ec`d`": "a bcd",
		"": boss, "***": boss, secret: "hidden", strings.Repeat("x", 300): strings.Repeat("x", 77) + "…",
	} {
		w := newWorld(t)
		ev := says(boss, "run fix it")
		ev.User.Name = given
		w.handle(ev)
		in, _ := w.server.inputs[0].(task.Input)
		if in.RequestedBy.Name != want || w.last().Name != want {
			t.Errorf("%q became %q", given, in.RequestedBy.Name)
		}
	}
	w := newWorld(t)
	a := w.handle(says(boss, "run use "+secret+"\u200b and\u202e <!--x--> @everyone"))
	in, _ := w.server.inputs[0].(task.Input)
	if in.Task != "use [hidden] and <!--x--> @everyone" || strings.Contains(a.Text, secret) {
		t.Errorf("the task is %q, the answer %q", in.Task, a.Text)
	}
	for _, o := range w.server.starts {
		if strings.Contains(o.ID+o.StaticSummary+o.StaticDetails, secret) {
			t.Errorf("the secret is in %+v", o)
		}
	}
	f := w.task(task.Approving)
	f.refuse = no(fault.Input, "text is [x](http://evil) @channel "+secret, "`x`")
	if a := w.handle(replies(boss, "approve")); a.Text != `Sorry, that was not done. Text is \[x\](http://evil) ＠channel \[hidden\]. `+"\\`x\\`." {
		t.Errorf("answer %q", a.Text)
	}
	if strings.Contains(w.last().Reason, secret) {
		t.Errorf("recorded %+v", w.last())
	}
}

// TestThreadKeysAreQuoted: ids come from outside, and become part of a query.
func TestThreadKeysAreQuoted(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"x' OR WorkflowType = 'CodingTask", `x\`, "a:b", "x\ny", "%", strings.Repeat("1", 300), "ü"} {
		for _, change := range []func(*channel.Event){
			func(ev *channel.Event) { ev.ReplyTo, ev.Room.Thread = id, id }, func(ev *channel.Event) { ev.Room.ID = id },
			func(ev *channel.Event) { ev.Room.Channel = id },
		} {
			w := newWorld(t, func(c *Config) { c.People[channel.Telegram] = c.People[channel.Slack] })
			f := w.task(task.Approving)
			ev := replies(boss, "approve")
			change(&ev)
			w.handle(ev)
			if len(w.server.queries) != 0 || len(f.got) != 0 {
				t.Errorf("%q is in a query: %q", id, w.server.queries)
			}
		}
	}
	w := newWorld(t)
	f := w.task(task.Approving)
	whatsapp := "wamid.HBgNMTU1+NTEyM/zQ1NjcVAgARGBI5=="
	f.conversation.attrs[signals.AttrThread] = []string{"slack:C1:" + whatsapp}
	ev := replies(boss, "approve")
	ev.ReplyTo = whatsapp
	if w.handle(ev); len(f.got) != 1 {
		t.Errorf("a message of WhatsApp is not found: %q", w.server.queries)
	}
	if got := quoted(`a'b\c`); got != `'a\'b\\c'` {
		t.Errorf("quoted gives %s", got)
	}
}

package task

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

// leaves gives the paths of all values of a struct by their json names.
func leaves(t reflect.Type, at string) (all []string) {
	for f := range t.Fields() {
		f := f
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			all = append(all, leaves(inner, at+name+".")...)
		} else {
			all = append(all, at+name)
		}
	}
	return all
}

func TestKeysAgreeWithTheStructs(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, k := range ConfigKeys() {
		keys = append(keys, k.Path)
		if k.Doc == "" || k.Way == "" {
			t.Errorf("%s has no description or no way out", k.Path)
		}
	}
	if diff := cmp.Diff(leaves(reflect.TypeFor[Config](), ""), keys); diff != "" {
		t.Errorf("Config and the keys (-struct +keys):\n%s", diff)
	}
	slices.Sort(keys)
	settings := leaves(reflect.TypeFor[Settings](), "")
	slices.Sort(settings)
	if diff := cmp.Diff(settings, keys); diff != "" {
		t.Errorf("Settings and the keys (-struct +keys):\n%s", diff)
	}
}

// Every value that a Config can hold arrives in Settings.
func TestSettingsTakeEveryValue(t *testing.T) {
	t.Parallel()
	text := `{"agent":"claude","model":"m","planModel":"p","thinking":2048,"iterations":2,"errors":1,"approval":{"mode":"none","after":"90m","again":true},
		"budget":{"cost":1.5,"time":"45s","planCost":0.5},"quota":"end","agents":{"planner":"claude/opus","implementer":"codex","reviewer":"native"},"fallback":["codex/gpt-5.5","native"],"review":"other","setup":"s","check":"c","env":{"TZ":"UTC"},"needsEnv":["NPM_TOKEN"],"specs":"d","commits":"single","branch":"b/",
		"pullRequest":{"draft":true,"labels":["l"],"reviewers":["r"],"maxLines":9,"follow":true,"rounds":2,"batch":"1m","poll":"5m"},"notify":{"planReady":true,"progress":true,"complete":true,"error":true},
		"commands":{"profiles":["go"],"allow":["x *"],"allowPlanner":["p"],"allowImplementer":["i"],"allowReviewer":["r"],"pkill":["web-server"],"ask":["a *"],"deny":["b c"],"destructive":true,"questions":"deny","wait":"5m","expires":"1h"},
		"fixAttempts":1,"knownRed":"ready","paths":{"write":["w/**"],"readOnly":["r"],"taskWritable":["t"],"ignore":["i"],
		"hideFromPlanner":["p"],"hideFromImplementer":["q"],"hideFromReviewer":["s"]},
		"tools":{"allow":["Task","WebFetch(https://docs.example/a/*)"]},"native":{"steps":7,"readBytes":2048,"timeout":"1m","maxTimeout":"10m","context":9000,"api":"openai"},"opencode":{"api":"openai"},"scenario":"demo"}`
	l, err := ReadJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c, err := DecodeConfig(l, "")
	if err != nil {
		t.Fatal(err)
	}
	s := c.Settings()
	got, _ := json.Marshal(s)
	var a, b any
	_ = json.Unmarshal([]byte(strings.Replace(text, `"90m"`, `"1h30m"`, 1)), &a)
	_ = json.Unmarshal(got, &b)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-config +settings):\n%s", diff)
	}
	var back Settings
	if err := json.Unmarshal(got, &back); err != nil || !reflect.DeepEqual(back, s) || back.Approval.After.Std() != 90*time.Minute {
		t.Errorf("settings do not survive JSON: %+v, %v", back, err)
	}
	for _, k := range ConfigKeys() {
		if _, set := c.Lookup(k.Path); !set {
			t.Errorf("Lookup(%s) finds nothing", k.Path)
		}
		if _, set := (Config{}).Lookup(k.Path); set {
			t.Errorf("Lookup(%s) finds something in an empty Config", k.Path)
		}
	}
	if _, set := c.Lookup("budget.tips"); set {
		t.Error("Lookup makes up a key")
	}
}

// An empty list clears the one below it, so it must not be lost on the way from whoever starts a task to the host.
func TestEmptyListsArrive(t *testing.T) {
	t.Parallel()
	text := `{"needsEnv":[],"pullRequest":{"labels":[],"reviewers":[]}}`
	var c Config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(c); err != nil || string(got) != text {
		t.Errorf("%s becomes %s, %v", text, got, err)
	}
	if got, _ := json.Marshal(Config{PullRequest: &PullRequestConfig{}}); string(got) != `{"pullRequest":{}}` {
		t.Errorf("what was not said becomes %s", got)
	}
}

func TestValuesAreChecked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ config, want string }{
		{`{"commands":{"profiles":["perl"]}}`, `commands.profiles item 1 is "perl", which is no tool chain that is known; use node, bun,`},
		{`{"commands":{"deny":["rm -rf $HOME"]}}`, `commands.deny item 1 is "rm -rf $HOME", which is no list of plain words; give the first words of a command`},
		{`{"commands":{"questions":"yes"}}`, `commands.questions is "yes"; use person or deny`},
		{`{"commands":{"expires":"1s"}}`, `commands.expires is "1s"; give a duration`},
		{`{"paths":{"readOnly":["/etc"]}}`, `paths.readOnly item 1 is "/etc", which is no path inside the repository; give paths`},
		{`{"paths":{"ignore":["a/../../b"]}}`, `paths.ignore item 1 is "a/../../b", which leads out of the repository; give paths`},
		{`{"agent":"gpt"}`, `agent is "gpt"; use claude, codex, opencode, native or script`},
		{`{"model":""}`, `model is "", which is no model name; give a model name such as "sonnet"`},
		{`{"model":"--danger"}`, `model is "--danger", which is no model name; `},
		{`{"thinking":1023}`, `thinking is 1023; give a whole number from 1024 to 1000000`},
		{`{"iterations":0}`, `iterations is 0; give a whole number from 1 to 1000`},
		{`{"iterations":2.5}`, `iterations is 2.5; give a whole number from 1 to 1000`},
		{`{"errors":-1}`, `errors is -1; give a whole number from 0 to 100`},
		{`{"approval":{"mode":"maybe"}}`, `approval.mode is "maybe"; use auto, required or none`},
		{`{"approval":{"after":"0s"}}`, `approval.after is "0s"; give a duration`},
		{`{"approval":{"after":"-5m"}}`, `approval.after is "-5m"; give a duration`},
		{`{"approval":{"after":"20"}}`, `approval.after is "20"; give a duration`},
		{`{"approval":{"again":"yes"}}`, `approval.again is the text "yes"; write true or false`},
		{`{"budget":{"cost":0}}`, `budget.cost is 0; give a number above 0, at most 100000`},
		{`{"budget":{"cost":1e999}}`, `budget.cost is 1e999; give a number above 0, at most 100000`},
		{`{"budget":{"time":"800h"}}`, `budget.time is "800h"; give a duration such as "20m" or "2h", from 1s to 720h`},
		{`{"budget":7}`, `budget is 7; give an object with the keys cost, time, planCost`},
		{`{"quota":"later"}`, `quota is "later"; use wait, end or next`},
		{`{"setup":"a\u0000b"}`, `setup is "a\x00b", which holds a null byte; give one command line for bash`},
		{`{"check":"` + strings.Repeat("x", 9000) + `"}`, `check has 9000 bytes, 8192 are allowed; give one command line for bash`},
		{`{"specs":"../x"}`, `specs is "../x", which is not a folder inside the repository; give a folder`},
		{`{"specs":"/etc"}`, `specs is "/etc", which is no plain path inside the repository; give a folder`},
		{`{"specs":":(exclude)x"}`, `specs is ":(exclude)x", which is no plain path inside the repository; give a folder`},
		{`{"specs":"a/../.git"}`, `specs is "a/../.git", which belongs to git; give a folder`},
		{`{"commits":"all"}`, `commits is "all"; use incremental or single`},
		{`{"branch":"-x/"}`, `branch is "-x/", which is no branch name; `},
		{`{"branch":"a..b"}`, `branch is "a..b", which is no branch name; `},
		{`{"branch":"a.lock/"}`, `branch is "a.lock/", which is no branch name; `},
		{`{"pullRequest":{"labels":"bug"}}`, `pullRequest.labels is the text "bug"; give labels of up to 50 characters`},
		{`{"pullRequest":{"reviewers":["@ada"]}}`, `pullRequest.reviewers item 1 is "@ada", which is no user or team name; give user names`},
		{`{"env":["TZ=UTC"]}`, `env is a list; give NAME: "value"`},
		{`{"env":{"PORT":8080}}`, `env.PORT is 8080; give NAME: "value", in quotes when it is a number`},
		{`{"env":{"NPM_TOKEN":null}}`, `env.NPM_TOKEN is empty; give NAME: "value", in quotes when it is a number or a flag; what the operator gives is named in needsEnv`},
		{`{"env":{"A":"1","A":"2"}}`, `env.A appears twice; keep one of them`},
		{`{"env":{"1X":"y"}}`, `env.1X is no name of a variable; give NAME: "value"`},
		{`{"env":{"PATH":"/x"}}`, `env.PATH is "/x", but Longshift itself sets this variable; leave it out`},
		{`{"env":{"https_proxy":"/x"}}`, `env.https_proxy is "/x", but Longshift itself sets this variable; leave it out`},
		{`{"env":{"LD_PRELOAD":"x.so"}}`, `env.LD_PRELOAD is "x.so", but Longshift itself sets this variable; leave it out`},
		{`{"env":{"GIT_SSH_COMMAND":"x"}}`, `env.GIT_SSH_COMMAND is "x", but only the operator may set this variable; leave it out`},
		{`{"env":{"ANTHROPIC_BASE_URL":"http://x"}}`, `env.ANTHROPIC_BASE_URL is "http://x", but only the operator may set this variable; leave it out`},
		{`{"env":{"BASH_ENV":"x"}}`, `env.BASH_ENV is "x", but Longshift itself sets this variable; leave it out`},
		{`{"env":{"A":"` + strings.Repeat("x", 1025) + `"}}`, `env.A has 1025 bytes, 1024 are allowed; put it into a file`},
		{`{"env":{"A":"a\u0000b"}}`, `env.A holds a null byte; `},
		{many("env", 51), `env has 51 variables, 50 are allowed; set fewer`},
		{many("env", 9, strings.Repeat("x", 1000)), `env has 9018 bytes in all, 8192 are allowed; set fewer`},
		{`{"needsEnv":["NPM_TOKEN=x"]}`, `needsEnv item 1 is "NPM_TOKEN=x", which is no name of a variable; give names of variables such as NPM_TOKEN`},
		{`{"needsEnv":["HTTPS_PROXY"]}`, `needsEnv item 1 is "HTTPS_PROXY", which is set by Longshift itself; give names`},
		{`{"native":{"steps":0}}`, `native.steps is 0; give a whole number from 1 to 1000`},
		{`{"scenario":" "}`, `scenario is " ", which is no scenario; give "demo" or the path of a scenario file`},
	} {
		l, err := ReadJSON([]byte(tt.config))
		if err != nil {
			t.Fatalf("%s: %v", tt.config, err)
		}
		_, err = DecodeConfig(l, "here")
		if err == nil || !strings.HasPrefix(err.Error()+"; "+fault.HintOf(err), "here: "+tt.want) {
			t.Errorf("%.80s: got %v; %s\nwant %s", tt.config, err, fault.HintOf(err), tt.want)
		}
	}
}

// many gives a map with n entries.
func many(key string, n int, value ...string) string {
	entries := map[string]string{}
	for i := range n {
		entries[string(rune('A'+i/26))+string(rune('A'+i%26))] = strings.Join(value, "")
	}
	text, _ := json.Marshal(map[string]any{key: entries})
	return string(text)
}

func TestGoodValuesPass(t *testing.T) {
	t.Parallel()
	for _, config := range []string{`{}`, `{"specs":""}`, `{"specs":"docs/specs/"}`, `{"branch":"longshift/"}`, `{"branch":"bot-"}`,
		`{"errors":0}`, `{"model":"anthropic/claude-sonnet-4-5@20250929[1m]"}`,
		`{"approval":{"after":"1h30m"}}`, `{"budget":{"cost":0.01}}`, `{"pullRequest":{"reviewers":["ada","ada_acme","octo/team-a"],"labels":["good first issue"]}}`, `{"setup":null}`,
		`{"env":{"TZ":"Europe/Berlin","EMPTY":"","NODE_OPTIONS":"--max-old-space-size=4096","POSTGRES_PASSWORD":"postgres"},"needsEnv":["NPM_TOKEN"]}`, `{"env":{},"needsEnv":[]}`} {
		l, err := ReadJSON([]byte(config))
		if err == nil {
			_, err = DecodeConfig(l, "")
		}
		if err != nil {
			t.Errorf("%s: %v", config, err)
		}
	}
}

func TestDurationReadsWell(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{20 * time.Minute: "20m", 2 * time.Hour: "2h", 90 * time.Minute: "1h30m", 45 * time.Second: "45s",
		time.Minute + time.Second: "1m1s", 1500 * time.Millisecond: "1.5s", time.Hour + 5*time.Second: "1h0m5s", 0: "0s"} {
		if got := Duration(d).String(); got != want {
			t.Errorf("%v reads %q, want %q", d, got, want)
		}
	}
}

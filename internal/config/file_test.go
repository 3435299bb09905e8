package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

// settingsFile writes a settings file into a home, and returns the environment of its owner.
func settingsFile(t *testing.T, text string, mode os.FileMode, env ...string) Lookup {
	t.Helper()
	home := t.TempDir()
	path := filepath.Join(home, ".config", "longshift", "config.toml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"HOME": home}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		all[name] = value
	}
	return func(name string) (string, bool) { v, ok := all[name]; return v, ok }
}

func TestSettingsFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		env, want  []string
	}{
		{"nothing", "# mine\n", nil, nil},
		{"kinds", "LONGSHIFT_SLOTS = 3\nLONGSHIFT_MAX_COST = 2.5\nLONGSHIFT_AGENTS = ['claude', 'script']\nLONGSHIFT_LISTENERS = false\n" +
			"LONGSHIFT_LOG = \"debug\"\nTEMPORAL_ADDRESS = \"temporal.example.com:7233\"\n", nil,
			[]string{"LONGSHIFT_AGENTS=claude,script", "LONGSHIFT_LISTENERS=false", "LONGSHIFT_LOG=debug", "LONGSHIFT_MAX_COST=2.5", "LONGSHIFT_SLOTS=3",
				"TEMPORAL_ADDRESS=temporal.example.com:7233"}},
		{"lists with spaces", "LONGSHIFT_TASK_ENV = ['CC=clang', 'TZ']\nLONGSHIFT_TASK_SECRETS = ['NPM_TOKEN:setup,check@acme/web', 'SENTRY_DSN@*']\n", nil,
			[]string{"LONGSHIFT_TASK_ENV=CC=clang TZ", "LONGSHIFT_TASK_SECRETS=NPM_TOKEN:setup,check@acme/web SENTRY_DSN@*"}},
		{"the environment wins", "LONGSHIFT_SLOTS = 3\nLONGSHIFT_LOG = 'debug'\n", []string{"LONGSHIFT_SLOTS=1"}, []string{"LONGSHIFT_LOG=debug"}},
		{"by another way", "LONGSHIFT_GITHUB_TOKEN = 'a'\n", []string{"LONGSHIFT_GITHUB_TOKEN_FILE=/b"}, nil},
		{"by the variable of another program", "LONGSHIFT_GITHUB_TOKEN = 'a'\n", []string{"GH_TOKEN=b"}, nil},
		{"by another login to the model", "LONGSHIFT_ANTHROPIC_KEY = 'a'\n", []string{"ANTHROPIC_AUTH_TOKEN=b"}, nil},
		{"by a proxy in lower case", "HTTPS_PROXY = 'http://a'\nNO_PROXY = 'b'\n", []string{"https_proxy=http://c"}, []string{"NO_PROXY=b"}},
		{"beside the proxy for programs of tasks", "HTTPS_PROXY = 'http://a'\n", []string{"LONGSHIFT_EGRESS_PROXY=http://c"}, []string{"HTTPS_PROXY=http://a"}},
		{"a key of Temporal's, taken back", "TEMPORAL_API_KEY = 'a'\n", []string{"TEMPORAL_API_KEY="}, nil},
		{"set to nothing", "LONGSHIFT_LOG = 'debug'\n", []string{"LONGSHIFT_LOG="}, []string{"LONGSHIFT_LOG=debug"}},
	} {
		got, err := FromFile(settingsFile(t, c.text, 0o600, c.env...))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	if got, err := FromFile(func(string) (string, bool) { return "", false }); got != nil || err != nil {
		t.Errorf("without a home: %q, %v", got, err)
	}
}

// Names that libraries, git and the programs of tasks read are nobody's mistake, and those that tasks are given may be close to ours.
func TestNamesOfOthersInSettingsFile(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	names := strings.Fields(`AWS_ACCESS_KEY_ID AWS_REGION AWS_PROFILE AWS_ENDPOINT_URL_S3 HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY SSL_CERT_FILE SSL_CERT_DIR
		GH_TOKEN GITHUB_TOKEN GITHUB_REPO GH_REPO GH_HOST ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN ANTHROPIC_BASE_URL CLAUDE_CODE_OAUTH_TOKEN
		OPENAI_API_KEY OPENAI_BASE_URL TEMPORAL_API_KEY TEMPORAL_TLS_CLIENT_KEY_PATH TEMPORAL_CODEC_AUTH TEMPORAL_GRPC_META_AUTHORIZATION
		TEMPORAL_PROFILE TEMPORAL_CONFIG_FILE GITLAB_TOKEN GL_TOKEN HF_TOKEN NPM_TOKEN NPM_TOKEN_FILE GOPROXY GOPRIVATE CC DATABASE_URL
		GIT_SSH_COMMAND NO_COLOR BROWSER XDG_STATE_HOME OTEL_EXPORTER_OTLP_ENDPOINT`)
	for _, name := range names {
		text.WriteString(name + " = 'x'\n")
	}
	got, err := FromFile(settingsFile(t, text.String(), 0o600))
	if err != nil || len(got) != len(names) {
		t.Errorf("%d of %d: %v", len(got), len(names), err)
	}
	for _, c := range []struct{ text, env string }{
		{"GHTOKEN = 'x'\nLONGSHIFT_TASK_SECRETS = ['NPM_TOKEN@*', 'GHTOKEN:setup@acme/web']\n", ""},
		{"GHTOKEN_FILE = '/x'\nGHTOKEN = 'x'\n", "LONGSHIFT_TASK_SECRETS=GHTOKEN@*"},
		{"GH_TOKENS = 'x'\nLONGSHIFT_TASK_ENV = 'TZ=UTC GH_TOKENS'\n", ""},
	} {
		if _, err := FromFile(settingsFile(t, c.text, 0o600, c.env)); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

func TestWrongSettingsFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		mode os.FileMode
		want string
	}{
		{"LONGSHIFT_LOG = 'info'\nLONGSHIFT_SLOTS = two\n", 0o600, "config.toml: line 2: "},
		{"LONGSHIFT_ANTHROPIC_KEY = sk-secret\n", 0o600, "config.toml: line 1: "},
		{"LONGSHIFT_SLOT = 2\n", 0o600, "config.toml: line 1: LONGSHIFT_SLOT: there is no such variable; did you mean LONGSHIFT_SLOTS?"},
		{"TEMPORAL_ADRESS = 'x:7233'\n", 0o600, "line 1: TEMPORAL_ADRESS: there is no such variable; did you mean TEMPORAL_ADDRESS?"},
		{"TEMPORAL_TASK_QUEUE = 'x'\n", 0o600, "line 1: TEMPORAL_TASK_QUEUE: there is no such variable"},
		{"TEMPROAL_NAMESPACE = 'x'\n", 0o600, "did you mean TEMPORAL_NAMESPACE?"},
		{"LONGSHFT_SLOTS = 2\n", 0o600, "did you mean LONGSHIFT_SLOTS?"},
		{"ANTHROPIC_API_KYE = 'sk-secret'\n", 0o600, "did you mean ANTHROPIC_API_KEY?"},
		{"GH_TOKN = 'ghp-secret'\n", 0o600, "did you mean GH_TOKEN?"},
		{"slots = 2\n", 0o600, "config.toml: line 1: slots: not the name of a variable"},
		{"[worker]\nLONGSHIFT_SLOTS = 2\n", 0o600, "config.toml: line 1: worker: not the name of a variable"},
		{"LONGSHIFT_SLOTS = 2026-01-01\n", 0o600, "LONGSHIFT_SLOTS: not a text"},
		{"LONGSHIFT_AGENTS = [1]\n", 0o600, "LONGSHIFT_AGENTS: 1 is not a text"},
		{"LONGSHIFT_TASK_ENV = ['A=b c-secret']\n", 0o600, "config.toml: line 1: LONGSHIFT_TASK_ENV: an item holds a space"},
		{"LONGSHIFT_ANTHROPIC_KEY = 'sk-secret'\n", 0o640, "others can read it, and it holds LONGSHIFT_ANTHROPIC_KEY"},
		{"GH_TOKEN = 'ghp-secret'\n", 0o604, "others can read it, and it holds GH_TOKEN"},
		{"TEMPORAL_API_KEY = 'tmprl-secret'\n", 0o644, "others can read it, and it holds TEMPORAL_API_KEY"},
		{"AWS_SECRET_ACCESS_KEY = 'aws-secret'\n", 0o644, "others can read it, and it holds AWS_SECRET_ACCESS_KEY"},
		{"LONGSHIFT_TASK_SECRETS = ['SENTRY_DSN@*']\nSENTRY_DSN = 'dsn-secret'\n", 0o644, "others can read it, and it holds SENTRY_DSN"},
	} {
		got, err := FromFile(settingsFile(t, c.text, c.mode))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error()+fault.HintOf(err), "-secret") {
			t.Errorf("%q: %q, %v; want %s", c.text, got, err, c.want)
		}
	}
}

// A value that is wrong is told with the file and the line that set it, and not where the environment has set another one.
func TestWrongValueInSettingsFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		env  []string
		want []string
	}{
		{"# mine\nLONGSHIFT_SLOTS = 'many'\n", nil, []string{`settings in `, `config.toml: line 2: LONGSHIFT_SLOTS="many": not a whole number; give digits`}},
		{"LONGSHIFT_SLOTS = 'many'\n", []string{"LONGSHIFT_SLOTS=few"}, []string{`^LONGSHIFT_SLOTS="few": not a whole number`}},
		{"\nLONGSHIFT_HEARTBEAT = '1ms'\n", nil, []string{"line 2: LONGSHIFT_HEARTBEAT="}},
		{"LONGSHIFT_SLOTS = 'many'\n", []string{"LONGSHIFT_ROLE=boss"}, []string{"2 mistakes in the configuration:\n", "line 1: LONGSHIFT_SLOTS", "\nLONGSHIFT_ROLE="}},
	} {
		lookup := settingsFile(t, c.text, 0o600, c.env...)
		settings, err := FromFile(lookup)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Load(func(name string) (string, bool) {
			for _, s := range settings {
				if value, ok := strings.CutPrefix(s, name+"="); ok {
					return value, true
				}
			}
			return lookup(name)
		})
		if err == nil {
			t.Errorf("%q was taken", c.text)
			continue
		}
		for _, want := range c.want {
			begin, atStart := strings.CutPrefix(want, "^")
			if !strings.Contains(err.Error(), begin) || atStart && !strings.HasPrefix(err.Error(), begin) {
				t.Errorf("%q says %q, want %q", c.text, err, want)
			}
		}
	}
}

// Only values are secrets: the names of files with them and settings about secrets can be read by others.
func TestSettingsFileForOthers(t *testing.T) {
	t.Parallel()
	const text = "LONGSHIFT_GATEWAY_PASS = 'x'\nLONGSHIFT_SIGNING_KEY = '/keys/bot'\nLONGSHIFT_TASK_SECRETS = ['NPM_TOKEN@*']\nNPM_TOKEN_FILE = '/run/npm'\n" +
		"TEMPORAL_TLS_CLIENT_KEY_PATH = '/keys/temporal'\nSSH_AUTH_SOCK = '/run/agent'\nAWS_REGION = 'eu'\nTEMPORAL_ADDRESS = 'x:7233'\n"
	if _, err := FromFile(settingsFile(t, text, 0o644)); err != nil {
		t.Error(err)
	}
}

func TestSetInFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, after string
		mode                os.FileMode
	}{
		{"a new file", "", "LONGSHIFT_SLOTS = \"3\"\nLONGSHIFT_LOG = \"a \\\"b\\\"\"\n", 0o600},
		{"another line", "# mine\n\nGH_TOKEN = 'x'", "# mine\n\nGH_TOKEN = 'x'\nLONGSHIFT_SLOTS = \"3\"\nLONGSHIFT_LOG = \"a \\\"b\\\"\"\n", 0o600},
		{"a secret of another program", "TEMPORAL_API_KEY = 'x'\n",
			"TEMPORAL_API_KEY = 'x'\nLONGSHIFT_SLOTS = \"3\"\nLONGSHIFT_LOG = \"a \\\"b\\\"\"\n", 0o600},
		{"a secret of tasks", "LONGSHIFT_TASK_SECRETS = 'SENTRY_DSN@*'\nSENTRY_DSN = 'x'\n",
			"LONGSHIFT_TASK_SECRETS = 'SENTRY_DSN@*'\nSENTRY_DSN = 'x'\nLONGSHIFT_SLOTS = \"3\"\nLONGSHIFT_LOG = \"a \\\"b\\\"\"\n", 0o600},
		{"its line", "  LONGSHIFT_SLOTS=2 # for \"two\"\n'LONGSHIFT_LOG' = '#' # end\n# end\n",
			"LONGSHIFT_SLOTS = \"3\" # for \"two\"\nLONGSHIFT_LOG = \"a \\\"b\\\"\" # end\n# end\n", 0o644},
		{"several lines", "LONGSHIFT_SLOTS = '''\n2'''\n", "", 0o644},
		{"a table", "[other]\na = 1\n", "", 0o644},
		{"no TOML", "LONGSHIFT_SLOTS = two\n", "", 0o644},
	} {
		path := filepath.Join(t.TempDir(), "longshift", "config.toml")
		if c.before != "" {
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(os.WriteFile(path, []byte(c.before), 0o644), os.Chmod(path, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		closed, err := SetInFile(path, Setting{"LONGSHIFT_SLOTS", "3"}, Setting{"LONGSHIFT_LOG", `a "b"`})
		got, readErr := os.ReadFile(path)
		switch {
		case readErr != nil:
			t.Errorf("%s: %v, %v", c.name, err, readErr)
		case c.after == "" && (err == nil || fault.HintOf(err) == "" || string(got) != c.before):
			t.Errorf("%s: %v, and the file is\n%s", c.name, err, got)
		case c.after != "" && (err != nil || string(got) != c.after):
			t.Errorf("%s: %v, and the file is\n%s", c.name, err, got)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != c.mode || closed != (c.before != "" && c.mode == 0o600) {
			t.Errorf("%s: %v, closed %v, %v", c.name, info.Mode(), closed, err)
		}
	}
}

// A file that is replaced stays in its group.
func TestSetInFileKeepsTheGroup(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	groups, err := os.Getgroups()
	if err != nil {
		t.Fatal(err)
	}
	group := append([]int{os.Getgid()}, groups...)[len(groups)]
	if os.Geteuid() == 0 {
		group = 1
	}
	if err := errors.Join(os.Chown(path, -1, group), os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
	if _, err := SetInFile(path, Setting{"LONGSHIFT_SLOTS", "3"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 || int(info.Sys().(*syscall.Stat_t).Gid) != group {
		t.Errorf("%+v, %v; want group %d", info.Sys(), err, group)
	}
}

func TestSetInFileOfAnotherUser(t *testing.T) {
	t.Parallel()
	path := "/etc/passwd" // of root
	if os.Geteuid() == 0 {
		path = filepath.Join(t.TempDir(), "config.toml")
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chown(path, 1, -1)); err != nil {
			t.Fatal(err)
		}
	}
	_, err := SetInFile(path, Setting{"LONGSHIFT_SLOTS", "3"})
	if fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "LONGSHIFT_SLOTS in "+path+": the file belongs to another user") {
		t.Errorf("says %v", err)
	}
}

// What this machine refuses is no fault of a server that could not be reached.
func TestSetInFileRefused(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/proc/none/config.toml", t.TempDir()} { // neither can be written, the second can't be read
		_, err := SetInFile(path, Setting{"LONGSHIFT_SLOTS", "3"})
		if fault.KindOf(err) != fault.Denied || fault.HintOf(err) == "" || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: kind %s, %v", path, fault.KindOf(err), err)
		}
	}
}

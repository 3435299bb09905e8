package app

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

func remoteURL(cfg config.Config) func(task.Repository) (string, error) {
	return func(r task.Repository) (string, error) {
		switch {
		case r.Path != "":
			return r.Path, nil
		case r.URL != "":
			return r.URL, nil
		}
		return webScheme(cfg) + "://" + cfg.GitHub.Host() + "/" + r.Owner + "/" + r.Name + ".git", nil
	}
}

func webScheme(cfg config.Config) string {
	if u, err := url.Parse(cfg.GitHub.URL); err == nil && u.Scheme != "" {
		return u.Scheme
	}
	return "https"
}

// inTheOpen reports whether a repository's URL would send the token unencrypted although the forge uses https.
func inTheOpen(cfg config.Config, r task.Repository) bool {
	u, err := url.Parse(r.URL)
	return err == nil && u.Scheme == "http" && webScheme(cfg) != "http"
}

// gitAuth returns the token for pushes and fetches. It is called at each use, and only for hosts that the token is for, with their
// scheme. Where an app is not installed git goes as nobody, which is enough for a public submodule.
func gitAuth(cfg config.Config, log *slog.Logger) (func(context.Context, task.Repository) (workspace.Auth, error), error) {
	token := func(context.Context, task.Repository) (string, error) { return cfg.GitHub.Token.Read() }
	if cfg.GitHub.App.Present() {
		hub, err := newHub(cfg, log)
		if err != nil {
			return nil, err
		}
		token = hub.GitToken
	}
	return func(ctx context.Context, r task.Repository) (workspace.Auth, error) {
		if r.Path != "" || !isGitHub(cfg, r) || inTheOpen(cfg, r) || !cfg.GitHub.Authorized() {
			return workspace.Auth{}, nil
		}
		text, err := token(ctx, r)
		if cfg.GitHub.App.Present() && fault.KindOf(err) == fault.NotFound {
			log.WarnContext(ctx, "Git goes there as nobody", "repository", r.Text, "error", err, "hint", fault.HintOf(err))
			return workspace.Auth{}, nil
		}
		return workspace.Auth{User: "x-access-token", Token: text}, err
	}, nil
}

var credentialKinds = map[config.ModelKind]gateway.Kind{
	config.ModelKey: gateway.APIKey, config.ModelBearer: gateway.Bearer, config.ModelLogin: gateway.OAuth,
}

func modelCredential(cfg config.Config) func(context.Context) (gateway.Credential, error) {
	return func(context.Context) (gateway.Credential, error) {
		secret, kind := cfg.Model.Secret()
		if kind == config.ModelNone {
			return gateway.Credential{}, fault.New(fault.Denied, "no key for the model").
				WithHint("set ANTHROPIC_API_KEY, LONGSHIFT_ANTHROPIC_KEY_FILE or LONGSHIFT_CLAUDE_TOKEN_FILE for the worker")
		}
		v, err := secret.Read()
		return gateway.Credential{Kind: credentialKinds[kind], Value: v}, err
	}
}

// modelGateway configures the gateway to the models' APIs. OpenAI's is served where it can be asked.
func modelGateway(cfg config.Config) (gateway.Config, error) {
	g := gateway.Config{Endpoint: gateway.Endpoint{Upstream: cfg.Model.URL, Credential: modelCredential(cfg)}, Tools: cfg.Model.ServerTools,
		Pass: cfg.Model.Pass}
	if cfg.Model.HasOpenAI() {
		g.OpenAI = &gateway.Endpoint{Upstream: strings.TrimSuffix(cfg.Model.OpenAIURL, "/v1"), Credential: openAICredential(cfg)}
	}
	if cfg.Model.Prices == "" {
		return g, nil
	}
	data, err := os.ReadFile(cfg.Model.Prices)
	if err == nil {
		g.Prices, err = gateway.DefaultPrices().With(data)
	}
	if err == nil && g.OpenAI != nil {
		g.OpenAI.Prices, err = gateway.DefaultOpenAIPrices().With(data)
	}
	if err != nil {
		return g, fault.New(fault.Input, "LONGSHIFT_PRICES: %w", err).WithHint("see docs/configuration.md for what the file holds")
	}
	return g, nil
}

func openAICredential(cfg config.Config) func(context.Context) (gateway.Credential, error) {
	return func(context.Context) (gateway.Credential, error) {
		if !cfg.Model.OpenAIKey.Present() {
			return gateway.Credential{Kind: gateway.Bearer, Value: "none"}, nil
		}
		v, err := cfg.Model.OpenAIKey.Read()
		return gateway.Credential{Kind: gateway.Bearer, Value: v}, err
	}
}

// redactor removes the secrets of this process, and where its folders are.
func redactor(cfg config.Config) *redact.Redactor {
	return redact.New(secretValues(cfg)...).WithPath(cfg.Data, "$LONGSHIFT_DATA").WithPath(operatorHome(), "$HOME")
}

// secretValues returns the exact values that must be redacted. A file that can't be read is skipped.
func secretValues(cfg config.Config) []string {
	values := awsSecrets()
	for _, s := range cfg.Secrets() {
		v, err := s.Read()
		if s == &cfg.Sandbox.Proxy {
			v = passwordIn(v)
		}
		if err == nil && v != "" {
			values = append(values, v)
		}
	}
	return values
}

// passwordIn returns the password in a URL, "" for none.
func passwordIn(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	password, _ := u.User.Password()
	return password
}

// commandEnv is the environment of setup and check commands. It is built from scratch, not filtered. HOME is the task's own, so that
// tasks can't influence each other.
func commandEnv(cfg config.Config) func(activities.Dirs) []string {
	shared, path := agentEnv(cfg), taskPath()
	return func(d activities.Dirs) []string {
		env := []string{"HOME=" + d.Home, "PATH=" + path, "LANG=C.UTF-8", "TZ=UTC", "TERM=dumb", "CI=true"}
		for name, value := range shared(d) {
			env = append(env, name+"="+value)
		}
		return env
	}
}

// agentEnv is added to the environment that an agent's driver builds: tool caches, access to the registries, and the commit author.
func agentEnv(cfg config.Config) func(activities.Dirs) map[string]string {
	tools, own := toolEnv(cfg), cfg.Tasks.Variables(os.LookupEnv) // read once at the worker's start
	return func(d activities.Dirs) map[string]string {
		env := map[string]string{
			"GOFLAGS":         "-modcacherw",
			"GIT_AUTHOR_NAME": cfg.Author.Name, "GIT_AUTHOR_EMAIL": cfg.Author.Email,
			"GIT_COMMITTER_NAME": cfg.Author.Name, "GIT_COMMITTER_EMAIL": cfg.Author.Email,
			"GIT_TERMINAL_PROMPT": "0",
			// A sanitizer looks for leaks by ptrace, which the sandbox refuses: without these every program with one fails at its end.
			"ASAN_OPTIONS": "detect_leaks=0", "LSAN_OPTIONS": "detect_leaks=0",
		}
		maps.Copy(env, tools)
		for name, folder := range toolcache.Variables {
			env[name] = filepath.Join(d.Cache, folder)
		}
		maps.Copy(env, own)
		if viaProxy(cfg) {
			proxy := fmt.Sprintf("http://127.0.0.1:%d", activities.EgressPort)
			// Yarn from 2 on reads only its own two. It refuses a YARN_NO_PROXY, which it does not know.
			for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "YARN_HTTPS_PROXY", "YARN_HTTP_PROXY"} {
				env[name] = proxy
			}
			env["NO_PROXY"], env["no_proxy"] = "127.0.0.1,localhost,::1", "127.0.0.1,localhost,::1"
		}
		return env
	}
}

// operatorHome is the home directory of the worker's user, "" for none.
func operatorHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// slugHost converts a host name to characters allowed in a queue name.
func slugHost(name string) string {
	if s := task.Slug(name, 24); s != "" {
		return s
	}
	return "host"
}

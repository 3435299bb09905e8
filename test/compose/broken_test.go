package compose_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/test/compose"
)

// overlay writes a compose file that is laid over the real one.
func overlay(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "overlay.yml")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// Each overlay breaks one promise of the real file, and only that one is reported.
func TestBrokenStacks(t *testing.T) {
	for _, c := range []struct{ name, overlay, want string }{
		{"latest", `services: {worker: {image: "longshift-worker:latest"}}`, `tag "latest" can move`},
		{"no tag", `services: {worker: {image: longshift-worker}}`, "has no tag"},
		{"minor release", `services: {postgres: {image: "postgres:17"}}`, `tag "17" can move`},
		{"not an image", `services: {worker: {image: "Worker:1.0.0"}}`, "image"},
		{"our image from a registry", `services: {worker: {pull_policy: !reset null}}`, "pull_policy"},
		{"another server", `services: {temporal: {image: "temporalio/server:1.31.0"}}`, "devserver/go.mod has version"},
		{"other tools", `services: {temporal-schema: {image: "temporalio/admin-tools:1.31.0"}}`, "devserver/go.mod has version"},

		{"no health check", `services: {temporal-ui: {healthcheck: !reset null}}`, "no healthcheck"},
		{"health check off", `services: {temporal-ui: {healthcheck: !override {disable: true}}}`, "no healthcheck"},
		{"health check without times", `services: {temporal-ui: {healthcheck: !override {test: [CMD, "true"]}}}`, "without interval"},
		{"slow health check", `services: {temporal-ui: {healthcheck: {timeout: 1m}}}`, "longer than its interval"},
		{"not started again", `services: {worker: {restart: "no"}}`, "unless-stopped"},
		{"one-shot without end", `services: {temporal-schema: {restart: always}}`, "wait to end"},
		{"condition that says nothing", `services: {temporal-ui: {depends_on: !override [temporal]}}`, "condition service_started"},
		{"health of a one-shot", `services: {worker: {depends_on: {temporal-namespace: {condition: service_healthy}}}}`, "has no healthcheck"},
		{"end of what stays up", `services: {host-2: {depends_on: {temporal-namespace: {condition: service_completed_successfully}, temporal-ui: {condition: service_completed_successfully}}}}`, "temporal-ui"},

		{"password in the environment", `services: {postgres: {environment: {POSTGRES_PASSWORD: hunter2}}}`, "POSTGRES_PASSWORD holds a secret"},
		{"key from the operator's shell", `services: {worker: {environment: {ANTHROPIC_API_KEY: null}}}`, "ANTHROPIC_API_KEY"},
		{"secret file elsewhere", `services: {worker: {secrets: !override [anthropic_key], environment: {LONGSHIFT_GITHUB_TOKEN_FILE: /data/token}}}`, "LONGSHIFT_GITHUB_TOKEN_FILE"},
		{"secret not granted", `services: {worker: {secrets: !override [anthropic_key]}}`, "does not get it"},
		{"secret too many", `services: {worker: {secrets: [postgres_password]}}`, "does not name its file"},
		{"secret from the environment", `secrets: {github_token: !override {environment: GITHUB_TOKEN}}`, "does not come from the file"},
		{"secret from outside", `secrets: {github_token: {file: /etc/token}}`, "does not come from the file"},
		{"unused secret", `secrets: {slack_token: {file: ./deploy/secrets/slack_token}}`, "used by no service"},
		{"secret build argument", `services: {worker: {build: {args: {NPM_TOKEN: abc}}}}`, "image's history"},
		{"secret by interpolation", `services: {worker: {labels: {x: "${GITHUB_TOKEN:-}"}}}`, "would carry a secret"},
		{"setting without a default", `services: {worker: {labels: {x: "${REGION}"}}}`, "has no default"},

		{"port for everyone", `services: {temporal-ui: {ports: ["8080:8080"]}}`, "published on"},
		{"database port", `services: {postgres: {ports: ["127.0.0.1:5432:5432"]}}`, "publishes a port"},
		{"database reachable", `services: {postgres: {networks: [temporal]}}`, "not internal"},
		{"host network", `services: {temporal-ui: {networks: !reset null, network_mode: host}}`, "network"},

		{"privileged", `services: {worker: {privileged: true}}`, "privileged"},
		{"capability", `services: {worker: {cap_add: [SYS_ADMIN]}}`, "adds capabilities"},
		{"capabilities kept", `services: {worker: {cap_drop: !reset null}}`, "drop all capabilities"},
		{"an option that the engine refuses", `services: {worker: {security_opt: !override ["no-new-privileges=true", "seccomp=deploy/seccomp.json", ` +
			`"apparmor=unconfined", "systempaths:unconfined"]}}`, "systempaths=unconfined"},
		{"privileges to gain", `services: {worker: {security_opt: !override ["seccomp:unconfined"]}}`, "no-new-privileges"},
		{"root file system", `services: {temporal: {read_only: false}}`, "can be written"},
		{"root", `services: {postgres: {user: root}}`, "runs as root"},
		{"image's own root", `services: {postgres: {user: !reset null}}`, "runs as root"},
		{"processes of the machine", `services: {worker: {pid: host}}`, "namespace"},
		{"device", `services: {worker: {devices: ["/dev/kvm:/dev/kvm"]}}`, "device"},
		{"endless log", `services: {worker: {logging: !override {driver: json-file}}}`, "log grows"},
		{"no limits", `services: {worker: {deploy: !reset null}}`, "no resource limits"},
		{"no memory limit", `services: {worker: {deploy: {resources: {limits: {memory: !reset null}}}}}`, "no memory limit"},
		{"no process limit", `services: {worker: {deploy: {resources: {limits: {pids: !reset null}}}}}`, "no limit of processes"},

		{"nameless volume", `services: {postgres: {volumes: [/var/lib/extra]}}`, "has no name"},
		{"one volume for two", "services: {host-2: {volumes: !override [\"worker-data:/data\"]}}\nvolumes: {host-2-data: !reset null}", "shares volume"},
		{"name that scales", `services: {worker: {container_name: !reset null}}`, "--scale"},
		{"unused volume", `volumes: {extra: {}}`, "used by no service"},
		{"engine's socket", `services: {worker: {volumes: ["/var/run/docker.sock:/var/run/docker.sock:ro"]}}`, "docker.sock"},
		{"writable scripts", `services: {temporal: {volumes: !override ["./deploy/temporal:/etc/longshift"]}}`, "can write to"},
		{"folder that is not there", `services: {temporal: {volumes: ["./deploy/grafana:/etc/grafana:ro"]}}`, "does not exist"},

		{"unknown variable", `services: {worker: {environment: {LONGSHIFT_SLOT: "3"}}}`, "does not read"},
		{"unknown role", `services: {worker: {environment: {LONGSHIFT_ROLE: agent}}}`, "LONGSHIFT_ROLE is not one of"},
		{"no server", `services: {worker: {environment: {TEMPORAL_ADDRESS: !reset null}}}`, "TEMPORAL_ADDRESS"},

		{"script that is not there", `services: {temporal: {entrypoint: [/bin/sh, /etc/longshift/start.sh]}}`, "start.sh does not exist"},
		{"script of nowhere", `services: {temporal: {entrypoint: [/bin/sh, /opt/start.sh]}}`, "no volume brings"},
		{"shell mistake", `services: {temporal-ui: {healthcheck: {test: [CMD-SHELL, "wget -q (localhost"]}}}`, "inline program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := compose.Load(t.Context(), root(t), filepath.Join(root(t), stack), overlay(t, c.overlay))
			if err != nil {
				t.Fatal(err)
			}
			only(t, s.Check(), c.want)
		})
	}
}

// A digest behind the tag is welcome.
func TestDigests(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	s, err := compose.Load(t.Context(), root(t), filepath.Join(root(t), stack),
		overlay(t, `services: {temporal: {image: "temporalio/server:`+server(t)+`@`+digest+`"}}`))
	if err != nil {
		t.Fatal(err)
	}
	report(t, s.Check())
}

// What the specification itself forbids does not load.
func TestInvalidStacks(t *testing.T) {
	for _, c := range []struct{ name, overlay, want string }{
		{"unknown key", `services: {worker: {imagee: x}}`, "imagee"},
		{"wrong type", `services: {worker: {restart: [always]}}`, "restart"},
		{"unknown service", `services: {worker: {depends_on: {redis: {condition: service_healthy}}}}`, "redis"},
		{"unknown condition", `services: {worker: {depends_on: {temporal: {condition: healthy}}}}`, "condition"},
		{"undeclared volume", `services: {worker: {volumes: ["cache:/cache"]}}`, "cache"},
		{"undeclared secret", `services: {worker: {secrets: [slack_token]}}`, "slack_token"},
		{"undeclared network", `services: {worker: {networks: [web]}}`, "web"},
		{"circle", `services: {temporal: {depends_on: {temporal-namespace: {condition: service_completed_successfully}}}}`, "cycle"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := compose.Load(t.Context(), root(t), filepath.Join(root(t), stack), overlay(t, c.overlay))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("load: %v, want an error about %s", err, c.want)
			}
		})
	}
}

// A health check that differs from the image's is found, and so is data beside the image's volume.
func TestStackThatDoesNotFitTheImage(t *testing.T) {
	for _, c := range []struct{ name, overlay, want string }{
		{"other health check", `services: {worker: {healthcheck: {test: [CMD, "true"]}}}`, "healthcheck"},
		{"other folder", `services: {worker: {volumes: !override ["worker-data:/var/lib/longshift"]}}`, "keeps data elsewhere"},
		{"other Dockerfile", `services: {worker: {build: {dockerfile: Dockerfile}}}`, "is not built from"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := compose.Load(t.Context(), root(t), filepath.Join(root(t), stack), overlay(t, c.overlay))
			if err != nil {
				t.Fatal(err)
			}
			only(t, compose.CheckFit(s, realImage(t)), c.want)
		})
	}
}

// server is the tag of the Temporal server that the stack runs.
func server(t *testing.T) string {
	t.Helper()
	s, err := compose.Load(t.Context(), root(t), filepath.Join(root(t), stack))
	if err != nil {
		t.Fatal(err)
	}
	_, tag, _ := strings.Cut(s.Project.Services["temporal"].Image, ":")
	return tag
}

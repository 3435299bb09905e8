package forgetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/longshift/longshift/internal/sourcetree"
)

// Env names the file of GitHub's OpenAPI description, or the folder of the npm package @octokit/openapi.
const Env = "LONGSHIFT_OCTOKIT_OPENAPI"

const descriptionFile = "generated/api.github.com.json"

// served are the operations that the server plays; only their part of the description is read.
var served = allServed(servedPulls, servedFeedback, servedIssues, servedApps)

func allServed(parts ...map[string][]string) map[string][]string {
	all := map[string][]string{}
	for _, part := range parts {
		for path, methods := range part {
			all[path] = append(all[path], methods...)
		}
	}
	return all
}

var servedPulls = map[string][]string{
	"/repos/{owner}/{repo}":                                         {"get"},
	"/repos/{owner}/{repo}/forks":                                   {"post"},
	"/repos/{owner}/{repo}/git/matching-refs/{ref}":                 {"get"},
	"/repos/{owner}/{repo}/pulls":                                   {"get", "post"},
	"/repos/{owner}/{repo}/pulls/{pull_number}":                     {"get", "patch"},
	"/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers": {"get", "post"},
	"/repos/{owner}/{repo}/issues/{issue_number}/labels":            {"get", "post"},
}

// loadDescription reads the description once per process: it is 13 MB of JSON and never changes.
var loadDescription = sync.OnceValues(func() (*openapi3.T, error) {
	path, err := findDescription()
	if err != nil {
		return nil, err
	}
	return readDescription(path)
})

// description gives GitHub's description of its REST API, or skips the test when that or the schema of GraphQL is missing: both come by
// npm, which not everybody has. With CI=true it must be there.
func description(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := loadDescription()
	if err == nil {
		_, err = os.Stat(findSchema())
	}
	if err != nil {
		missing(t, err)
	}
	return doc
}

func missing(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, os.ErrNotExist) && os.Getenv("CI") != "true":
		t.Skipf("GitHub's descriptions of its APIs are not installed: run npm ci in test/github, or set %s and %s (%v)", Env, EnvSchema, err)
	default:
		t.Fatalf("GitHub's descriptions of its APIs: %v; run npm ci in test/github, or set %s and %s", err, Env, EnvSchema)
	}
}

func findDescription() (string, error) {
	if path := os.Getenv(Env); path != "" {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			path = filepath.Join(path, descriptionFile)
		}
		_, err := os.Stat(path)
		return path, err
	}
	path := published("openapi", descriptionFile)
	_, err := os.Stat(path)
	return path, err
}

// published is a file of one of GitHub's npm packages, where npm ci puts it.
func published(pack, file string) string {
	return filepath.Join(sourcetree.Root(), "test", "github", "node_modules", "@octokit", pack, file)
}

// readDescription cuts the served operations, and what they refer to, out of the whole.
func readDescription(path string) (*openapi3.T, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var whole struct {
		OpenAPI    string                                `json:"openapi"`
		Info       json.RawMessage                       `json:"info"`
		Paths      map[string]map[string]json.RawMessage `json:"paths"`
		Components map[string]map[string]json.RawMessage `json:"components"`
	}
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	paths := map[string]map[string]json.RawMessage{}
	components := map[string]map[string]json.RawMessage{}
	take := taker{whole.Components, components}
	for p, methods := range served {
		paths[p] = map[string]json.RawMessage{}
		for _, m := range methods {
			op, ok := whole.Paths[p][m]
			if !ok {
				return nil, fmt.Errorf("%s describes no %s %s", path, strings.ToUpper(m), p)
			}
			paths[p][m] = op
			take.refs(op)
		}
	}
	take.one("schemas", "basic-error")
	cut, err := json.Marshal(map[string]any{"openapi": whole.OpenAPI, "info": whole.Info, "paths": paths, "components": components})
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(cut)
}

// taker copies components and all that they refer to.
type taker struct {
	from, to map[string]map[string]json.RawMessage
}

var refForm = regexp.MustCompile(`"\$ref"\s*:\s*"#/components/([a-z]+)/([^"]+)"`)

func (t taker) refs(raw json.RawMessage) {
	for _, m := range refForm.FindAllSubmatch(raw, -1) {
		t.one(string(m[1]), string(m[2]))
	}
}

func (t taker) one(kind, name string) {
	if _, done := t.to[kind][name]; done {
		return
	}
	if t.to[kind] == nil {
		t.to[kind] = map[string]json.RawMessage{}
	}
	raw := t.from[kind][name]
	t.to[kind][name] = raw
	t.refs(raw)
}

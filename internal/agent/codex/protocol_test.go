package codex

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/agenttest"
)

var update = flag.Bool("update", false, "accept the protocol of the installed binary")

// used are the messages of the driver. Of each file the lists of requests and notifications belong to it too: a new one may be a new way to ask.
var used = []string{
	"v1/InitializeParams", "v1/InitializeResponse", "v2/ThreadStartParams", "v2/ThreadStartResponse", "v2/ThreadResumeParams", "v2/ThreadResumeResponse",
	"v2/ThreadInjectItemsParams", "v2/TurnStartParams", "v2/TurnStartResponse", "v2/TurnSteerParams", "v2/TurnInterruptParams",
	"CommandExecutionRequestApprovalParams", "CommandExecutionRequestApprovalResponse", "FileChangeRequestApprovalParams",
	"FileChangeRequestApprovalResponse", "McpServerElicitationRequestParams", "McpServerElicitationRequestResponse",
	"PermissionsRequestApprovalParams", "PermissionsRequestApprovalResponse",
	"v2/ItemStartedNotification", "v2/ItemCompletedNotification", "v2/CommandExecutionOutputDeltaNotification", "v2/TerminalInteractionNotification", "v2/FileChangePatchUpdatedNotification",
	"v2/TurnStartedNotification", "v2/TurnCompletedNotification", "v2/ErrorNotification", "v2/ThreadTokenUsageUpdatedNotification",
	"v2/AccountRateLimitsUpdatedNotification", "v2/ServerRequestResolvedNotification", "v2/McpServerStatusUpdatedNotification",
	"v2/ThreadSettingsUpdatedNotification", "v2/HookStartedNotification", "v2/ItemGuardianApprovalReviewStartedNotification",
	"ServerRequest", "ServerNotification",
}

// TestProtocol holds the installed binary to the messages that the driver was written for.
func TestProtocol(t *testing.T) {
	binary, dir := agenttest.CodexBinary(t), t.TempDir()
	cmd := exec.Command(binary, "app-server", "generate-json-schema", "--out", dir)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("generate the schema: %v\n%s", err, out)
	}
	lines := map[string]bool{}
	for _, name := range used {
		digest(t, dir, name, lines)
	}
	is := slices.Sorted(maps.Keys(lines))
	file := filepath.Join("testdata", "protocol.txt")
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(is, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	for _, line := range was {
		if !lines[line] {
			t.Errorf("is gone:\n%s", line)
		}
	}
	for _, line := range is {
		if !slices.Contains(was, line) {
			t.Errorf("is new:\n%s", line)
		}
	}
}

// digest adds a line for a message, and one for each type that it names.
func digest(t *testing.T, dir, name string, lines map[string]bool) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name+".json"))
	var s map[string]any
	if err != nil || json.Unmarshal(data, &s) != nil {
		t.Errorf("the schema of %s: %v", name, err)
		return
	}
	lines[path.Base(name)+" = "+form(s)] = true
	if strings.HasPrefix(name, "Server") {
		return // the types are those of other files, or of messages that are not used
	}
	types, _ := s["definitions"].(map[string]any)
	for typ, of := range types {
		lines[typ+" = "+form(of)] = true
	}
}

// form writes a schema in one line: names of types, {required, optional?: type}, [element], and a|b for alternatives.
func form(schema any) string {
	s, ok := schema.(map[string]any)
	if !ok {
		return "any"
	}
	if ref, ok := s["$ref"].(string); ok {
		return path.Base(ref)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "enum"} {
		if list, ok := s[key].([]any); ok {
			return alternatives(key, list)
		}
	}
	if fields, ok := s["properties"].(map[string]any); ok {
		required, _ := s["required"].([]any)
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			mark := "?"
			if slices.Contains(required, any(name)) {
				mark = ""
			}
			parts = append(parts, name+mark+": "+form(fields[name]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	switch typ := s["type"].(type) {
	case []any:
		return alternatives("enum", typ)
	case string:
		if typ == "array" {
			return "[" + form(s["items"]) + "]"
		}
		return typ
	}
	return "any"
}

func alternatives(key string, list []any) string {
	var parts []string
	for _, of := range list {
		if key == "enum" {
			parts = append(parts, fmt.Sprint(of))
		} else {
			parts = append(parts, form(of))
		}
	}
	return strings.Join(parts, "|")
}

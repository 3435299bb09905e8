package opencode

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// TestOwnAPI asks the API that the binary serves on loopback, by which commands could be run and questions answered. It lets nobody in.
func TestOwnAPI(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{bash("true")}}, agenttest.Turn{Text: "Done."}))
	asked := 0
	b.session.Permit = func(context.Context, agent.Call) agent.Decision {
		for _, port := range listening(t, agenttest.Pid(t, b.session)) {
			for _, path := range []string{"/config", "/permission", "/session"} {
				r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d%s", port, path))
				if err != nil {
					t.Errorf("ask %s: %v", path, err)
					continue
				}
				r.Body.Close()
				if asked++; r.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s answers %d", path, r.StatusCode)
				}
			}
		}
		return agent.Decision{Allow: true}
	}
	if o, _ := b.run(t); o.Kind != agent.Completed {
		t.Errorf("outcome: %+v", o)
	}
	if asked == 0 {
		t.Log("it serves no API any more")
	}
}

var socket = regexp.MustCompile(`^socket:\[(\d+)\]$`)

// listening are the ports of loopback that a process listens on.
func listening(t *testing.T, pid int) (ports []int64) {
	t.Helper()
	mine := map[string]bool{}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, f := range files {
		to, _ := os.Readlink(f)
		if m := socket.FindStringSubmatch(to); m != nil {
			mine[m[1]] = true
		}
	}
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && mine[f[9]] { // listens
			if _, hex, ok := strings.Cut(f[1], ":"); ok {
				port, err := strconv.ParseInt(hex, 16, 32)
				if err != nil {
					t.Fatal(err)
				}
				ports = append(ports, port)
			}
		}
	}
	return ports
}

// TestOpenAIItself is asked by Responses, which its models need for tools and thinking. Nothing is stored there.
func TestOpenAIItself(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Thinking: "Hm.", Tools: []agenttest.Tool{bash("echo hi > a.txt")}}, agenttest.Turn{Text: "Done."}))
	b.session.Model, b.session.Upstream, b.session.Thinking = "gpt-5.5", openAI, 8192
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Done." || read(t, b.session.Dir, "a.txt") != "hi\n" {
		t.Errorf("outcome: %+v", o)
	}
	for _, c := range b.model.Calls() {
		if body := string(c.Body); !strings.Contains(body, `"store":false`) || !strings.Contains(body, `"effort":"medium"`) || strings.Contains(body, `"max_tokens"`) {
			t.Errorf("the request is %.300s", body)
		}
	}
}

package devserver_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/devserver"
)

func TestMistakesInFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", []string{"no command", "server start-dev"}},
		{"serve", []string{`"serve"`, "server start-dev"}},
		{"server", []string{"no command", "start-dev"}},
		{"server start", []string{`"start"`, "start-dev"}},
		{"server start-dev extra", []string{`"extra"`}},
		{"server start-dev --colour never", []string{"--colour"}},
		{"server start-dev -z", []string{"-z"}},
		{"server start-dev --port", []string{"--port", "needs a value"}},
		{"server start-dev --port abc", []string{"--port", `"abc"`, "whole number"}},
		{"server start-dev --port 99999", []string{"--port", "99999"}},
		{"server start-dev --ui-port -1", []string{"--ui-port", "-1"}},
		{"server start-dev --port 7300 --http-port 7300", []string{"--http-port 7300", "--port"}},
		{"server start-dev --ip here", []string{"--ip", `"here"`}},
		{"server start-dev --ui-ip there", []string{"--ui-ip", `"there"`}},
		{"server start-dev --ui-public-path temporal", []string{"--ui-public-path", `"temporal"`}},
		{"server start-dev --headless=maybe", []string{"--headless", `"maybe"`}},
		{"server start-dev --log-level loud", []string{"--log-level", `"loud"`, "never"}},
		{"--log-format xml server start-dev", []string{"--log-format", `"xml"`, "json"}},
		{"server start-dev --namespace a/b", []string{"--namespace", `"a/b"`}},
		{"server start-dev --namespace temporal-system", []string{"--namespace", "reserved"}},
		{"server start-dev --retention 5m", []string{"--retention", `"5m"`}},
		{"server start-dev --retention 0d", []string{"--retention", `"0d"`}},
		{"server start-dev --search-attribute Phase", []string{"--search-attribute", `"Phase"`, "Name=Type"}},
		{"server start-dev --search-attribute Phase=Word", []string{"Phase=Word", "KeywordList"}},
		{"server start-dev --search-attribute WorkflowId=Keyword", []string{"WorkflowId=Keyword", "another"}},
		{"server start-dev --search-attribute P=Int --search-attribute P=Bool", []string{"P=Bool", "already", "Int"}},
		{"server start-dev --search-attribute A=Bool --search-attribute B=Bool --search-attribute C=Bool --search-attribute D=Bool", []string{"D=Bool", "all of its 3 Bool"}},
		{"server start-dev --dynamic-config-value a.b", []string{"--dynamic-config-value", `"a.b"`, "key=JSON"}},
		{"server start-dev --dynamic-config-value a.b=c", []string{"a.b=c", "JSON"}},
		{`server start-dev --dynamic-config-value history.enableChasm="x"`, []string{"history.enableChasm", `"x"`}},
		{"server start-dev --sqlite-pragma sychronous=1", []string{"sychronous=1"}},
		{"server start-dev --sqlite-pragma mode=memory", []string{"mode=memory"}},
		{"server start-dev --port 0 --db-filename /nowhere/at/all.db", []string{"database /nowhere/at/all.db", "does not exist"}},
		{"server start-dev --port 0 --db-filename /", []string{"database /: ", "not a regular file"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := strings.Fields(c.args)
			if strings.HasPrefix(c.args, "server start-dev") && !strings.Contains(c.args, "--db-filename") {
				// Before the flag under test, which may be short of its value.
				args = append([]string{"server", "start-dev", "-f", file}, args[2:]...)
			}
			var stdout, stderr bytes.Buffer
			command := devserver.Command(context.Background(), &stdout, &stderr)
			command.SetArgs(args)
			err := command.Execute()
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not contain %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "\n") || stdout.Len() > 0 {
				t.Errorf("error %q, stdout %q: want one line and nothing on stdout", err, &stdout)
			}
			if _, err := os.Stat(file); err == nil {
				t.Error("a database was made")
			}
		})
	}
}

func TestExitCodeAndVersion(t *testing.T) {
	if line := refused(t, "--colour", "never"); !strings.HasPrefix(line, "longshift-devserver: ") {
		t.Errorf("stderr = %q", line)
	}
	var stdout bytes.Buffer
	command := devserver.Command(context.Background(), &stdout, &stdout)
	command.SetArgs([]string{"--version"})
	if err := command.Execute(); err != nil || !strings.Contains(stdout.String(), "(Server 1.32.") {
		t.Errorf("--version: %v, %q", err, &stdout)
	}
}

package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

const key = "sk-very-secret"

func TestSecretNeverShows(t *testing.T) {
	c, err := Load(lookup("LONGSHIFT_ANTHROPIC_KEY=" + key))
	if err != nil {
		t.Fatal(err)
	}
	var logs bytes.Buffer
	slog.New(slog.NewJSONHandler(&logs, nil)).Info("x", "key", c.Model.Key, "config", c)
	slog.New(slog.NewTextHandler(&logs, nil)).Info("x", "key", c.Model.Key, "config", c)
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	described, err := json.Marshal(c.Describe())
	if err != nil {
		t.Fatal(err)
	}
	var whole any = c
	for _, shown := range []string{logs.String(), string(asJSON), string(described),
		//nolint:staticcheck // wrong verbs must not show it either
		fmt.Sprintf("%v %+v %#v %s %q %x %d", whole, whole, whole, whole, whole, whole, whole), fmt.Sprint(c.Model.Key), fmt.Sprintf("%#v", &c.Model.Key)} {
		if strings.Contains(shown, key) || strings.Contains(shown, fmt.Sprintf("%x", key)) {
			t.Errorf("the key shows in %s", shown)
		}
		if !strings.Contains(shown, hidden) {
			t.Errorf("no %s in %s", hidden, shown)
		}
	}
}

func TestSecretSources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	for _, c := range []struct {
		env          []string
		source, want string
	}{
		{[]string{"LONGSHIFT_CLAUDE_TOKEN= own ", "CLAUDE_CODE_OAUTH_TOKEN=other"}, "LONGSHIFT_CLAUDE_TOKEN", "own"},
		{[]string{"CLAUDE_CODE_OAUTH_TOKEN=other"}, "CLAUDE_CODE_OAUTH_TOKEN", "other"},
		{[]string{"LONGSHIFT_CLAUDE_TOKEN_FILE=" + file, "CLAUDE_CODE_OAUTH_TOKEN=other"}, "LONGSHIFT_CLAUDE_TOKEN_FILE", "filed"},
		{nil, "", ""},
	} {
		write(t, file, "filed\n")
		got, err := Load(lookup(c.env...))
		if err != nil {
			t.Fatal(err)
		}
		value, err := got.Model.Login.Read()
		if err != nil || value != c.want || got.Model.Login.Source() != c.source || got.Model.Login.Present() != (c.source != "") {
			t.Errorf("%v: %q from %q, %v", c.env, value, got.Model.Login.Source(), err)
		}
	}
}

// A key in a file can be rotated, and may be written after the start.
func TestSecretFileIsReadAtUse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	c, err := Load(lookup("LONGSHIFT_GITHUB_TOKEN_FILE=" + file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.GitHub.Token.Read(); fault.KindOf(err) != fault.Denied || !strings.Contains(fault.HintOf(err), "LONGSHIFT_GITHUB_TOKEN_FILE") {
		t.Errorf("missing file: %v, hint %q", err, fault.HintOf(err))
	}
	for _, want := range []string{"first", "second"} {
		write(t, file, want+"\n")
		if got, err := c.GitHub.Token.Read(); got != want || err != nil {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
	write(t, file, key+"\nrest")
	if _, err := c.GitHub.Token.Read(); err == nil || strings.Contains(err.Error(), key) {
		t.Errorf("a file of two lines: %v", err)
	}
}

// Two ways at once are a mistake, whichever they are; a fallback is used only without them.
func TestSecretTwice(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"LONGSHIFT_GITHUB_TOKEN=" + key, "LONGSHIFT_GITHUB_TOKEN_FILE=/x"},
			"LONGSHIFT_GITHUB_TOKEN: set together with LONGSHIFT_GITHUB_TOKEN_FILE; give one of the two"},
		{[]string{"LONGSHIFT_GITHUB_TOKEN_FD=9", "LONGSHIFT_GITHUB_TOKEN_FILE=/x", "GITHUB_TOKEN=" + key},
			"LONGSHIFT_GITHUB_TOKEN_FILE: set together with LONGSHIFT_GITHUB_TOKEN_FD; give one of the two"},
		{[]string{"LONGSHIFT_GITHUB_TOKEN_FD=9", "LONGSHIFT_GITHUB_TOKEN=" + key, "LONGSHIFT_GITHUB_TOKEN_FILE=/x"},
			"LONGSHIFT_GITHUB_TOKEN: set together with LONGSHIFT_GITHUB_TOKEN_FILE and LONGSHIFT_GITHUB_TOKEN_FD; give one of the three"},
	} {
		if _, err := Load(lookup(c.env...)); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// The redactor learns a value when it is read, before anybody can use it.
func TestSecretsAreReported(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	c, err := Load(lookup("LONGSHIFT_GITHUB_TOKEN_FILE="+file, "ANTHROPIC_API_KEY= "+key))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	c.ReportSecrets(func(values ...string) { told = append(told, values...) })
	copied := c // configurations are passed by value
	for _, value := range []string{"first", "second"} {
		write(t, file, value+"\n")
		if got, err := copied.GitHub.Token.Read(); got != value || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if got, err := copied.Model.Key.Read(); got != key || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := copied.Model.Login.Read(); err != nil {
		t.Error(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := copied.GitHub.Token.Read(); err == nil {
		t.Error("a missing file was read")
	}
	if diff := cmp.Diff([]string{"first", "second", key}, told); diff != "" {
		t.Error(diff)
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

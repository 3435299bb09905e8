package devserver_test

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
)

// A start that is killed half-way must leave nothing that the next start cannot use.
func TestKilledWhileStarting(t *testing.T) {
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	for name, reached := range map[string]func(file string) bool{
		"file made":     exists,
		"journal open":  func(file string) bool { return exists(file+"-journal") || exists(file+"-wal") },
		"tables made":   func(file string) bool { info, err := os.Stat(file); return err == nil && info.Size() > 0 },
		"server writes": func(file string) bool { return exists(file + "-wal") },
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "temporal.db")
			p, _ := spawn(t, "-f", file, "--port", "0", "--headless")
			tick := time.NewTicker(100 * time.Microsecond)
			defer tick.Stop()
			for !reached(file) {
				select {
				case <-p.exited:
					t.Fatalf("server ended: %s", p.stderr)
				case <-tick.C:
				}
			}
			p.kill()
			launch(t, "-f", file, "--port", "0", "--headless").dial("default")
		})
	}
}

func TestSecondServerOnOneFileIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "temporal.db")
	first := launch(t, "-f", file, "--port", "0", "--headless")
	line := refused(t, "-f", file, "--port", "0", "--headless")
	if !strings.Contains(line, file) || !strings.Contains(line, "in use by another server") {
		t.Errorf("stderr = %q", line)
	}
	first.dial("default")
	first.stop(syscall.SIGTERM)
}

func TestUnusableDatabase(t *testing.T) {
	sound := filepath.Join(t.TempDir(), "sound.db")
	launch(t, "-f", sound, "--port", "0", "--headless").stop(syscall.SIGINT)
	content, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	middle := len(content) / 2
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"text":         {bytes.Repeat([]byte("not a database\n"), 1000), "is not a SQLite database"},
		"cut in half":  {content[:middle], "is damaged"},
		"holes":        {append(append(bytes.Clone(content[:4096]), make([]byte, middle-4096)...), content[middle:]...), "is damaged"},
		"first page":   {append(make([]byte, 4096), content[4096:]...), "is not a SQLite database"},
		"other schema": {otherDatabase(t), "belongs to another program"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "x.db")
			if err := os.WriteFile(file, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			line := refused(t, "-f", file, "--port", "0", "--headless")
			if !strings.Contains(line, file) || !strings.Contains(line, c.want) {
				t.Errorf("stderr = %q, want %q and the file", line, c.want)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, c.content) {
				t.Errorf("the file was changed (%v)", err)
			}
			if files, _ := os.ReadDir(dir); len(files) != 1 {
				t.Errorf("left behind: %v", files)
			}
		})
	}
}

func otherDatabase(t *testing.T) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE recipes (title TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestDatabaseInAFolderWithAnyName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b#c?d%20e")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "x.db")
	launch(t, "-f", file, "--port", "0", "--headless").stop(syscall.SIGTERM)
	info, err := os.Stat(file)
	if err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("database: %v, %v; want a file with content that only its owner reads", info, err)
	}
}

func TestRetention(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	file := filepath.Join(t.TempDir(), "temporal.db")
	for _, c := range []struct {
		args []string
		want time.Duration
	}{
		{nil, 30 * 24 * time.Hour},
		{[]string{"--retention", "2d"}, 48 * time.Hour},
		{nil, 48 * time.Hour}, // not given: stays
		{[]string{"--retention", "72h"}, 72 * time.Hour},
	} {
		p := launch(t, append([]string{"-f", file, "--port", "0", "--headless"}, c.args...)...)
		answer, err := p.dial("default").WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.Config.WorkflowExecutionRetentionTtl.AsDuration(); got != c.want {
			t.Errorf("with %q: retention %s, want %s", c.args, got, c.want)
		}
		p.kill()
	}
}

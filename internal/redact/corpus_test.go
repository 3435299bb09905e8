package redact_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/redact"
)

// TestOrdinaryCorpus searches Go's own sources, the largest ordinary text available wherever these tests run: tables,
// test vectors, encoded data, many scripts. It must find no form of a held value, and of token formats only the keys and
// logins in Go's own tests.
func TestOrdinaryCorpus(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	r := redact.New(append(held(), random(5, 40, hexes), random(6, 32, upper+"234567"), random(7, 20, digits), random(8, 8, lower), "Summer2024!Holiday",
		"Sys-Sched-Get-Priority-Max", "3f2b8c1e-9d47-4a60-b5e2-7c81d90f6a34")...) // SYS_SCHED_GET_PRIORITY_MAX stands in package syscall
	size := 0
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size += len(text)
		for _, f := range r.Find(string(text)) {
			if f.Rule != redact.PrivateKey && f.Rule != "authorization" && f.Rule != "url-password" {
				t.Errorf("%s:%d: %s: %.200q", path, f.Line, f.Rule, text[f.Offset:f.Offset+f.Length])
			}
		}
		return nil
	})
	if err != nil || size < 50<<20 {
		t.Fatalf("%d bytes of source, %v", size, err)
	}
}

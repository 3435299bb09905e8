package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// childVariable makes this test binary a child that writes records and prints their ids.
const childVariable = "AUDIT_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		childWriter(path)
		return
	}
	os.Exit(m.Run())
}

func childWriter(path string) {
	l, err := Open(context.Background(), path, nil)
	for i := 0; err == nil; i++ {
		var id int64
		id, err = l.Append(context.Background(), Record{Time: time.Unix(int64(i), 0), Kind: KindDecision, Decision: Allow, Task: "t",
			Command: strings.Repeat("c", i%3000)})
		if err == nil {
			fmt.Println(id)
		}
	}
	fmt.Println(err)
	os.Exit(1)
}

// A writer killed at any moment loses no record whose id it has returned, and the file stays intact. A reader lists it
// meanwhile.
func TestKilledWriterLosesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	last := int64(0)
	for round, lines := range []int{1, 7, 400, 1500} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVariable+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		scanner := bufio.NewScanner(out)
		for range lines {
			last = nextID(t, scanner, last)
		}
		if got := countWhileWritten(t, path); got < last {
			t.Errorf("round %d: a reader beside the writer sees %d of %d records", round, got, last)
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for scanner.Scan() { // ids returned before it died
			if id, err := strconv.ParseInt(scanner.Text(), 10, 64); err == nil {
				last = id
			}
		}
		_ = cmd.Wait()
		if got := countWhileWritten(t, path); got != last && got != last+1 {
			t.Errorf("round %d: %d records after the kill, %d ids were given", round, got, last)
		}
		l := openLog(t, path) // checks the whole file
		last = int64(len(list(t, l, Filter{})))
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(path + ".damaged-1"); err == nil {
			t.Fatal("the file was taken for damaged")
		}
	}
}

func nextID(t *testing.T, s *bufio.Scanner, last int64) int64 {
	t.Helper()
	if !s.Scan() {
		t.Fatal("the writer ended")
	}
	id, err := strconv.ParseInt(s.Text(), 10, 64)
	if err != nil || id != last+1 && last != 0 {
		t.Fatalf("the writer said %q after %d", s.Text(), last)
	}
	return id
}

func countWhileWritten(t *testing.T, path string) int64 {
	t.Helper()
	n := int64(0)
	for _, err := range Read(t.Context(), path, Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestDamagedFileIsSetAside(t *testing.T) {
	for name, damage := range map[string]func(content []byte) []byte{
		"no database": func([]byte) []byte {
			return []byte("this is no database, it is a letter of more than a hundred bytes" + strings.Repeat(".", 100))
		},
		"header": func(c []byte) []byte { copy(c[:4], "junk"); return c },
		"page": func(c []byte) []byte {
			for i := 4096; i < 3*4096; i++ {
				c[i] = 0xa5
			}
			return c
		},
		"cut short": func(c []byte) []byte { return c[:len(c)/2] },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), FileName)
			writeFile(t, path+".damaged-1", []byte("an older one"))
			l := openLog(t, path)
			for range 200 {
				add(t, l, decision(strings.Repeat("x", 200)))
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			content = damage(content)
			writeFile(t, path, content)

			log, lines := captured()
			l, err = Open(t.Context(), path, log)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			add(t, l, decision("new"))
			if got := commandsOf(list(t, l, Filter{})); got != "new" {
				t.Errorf("the new file holds %q", got)
			}
			kept, err := os.ReadFile(path + ".damaged-2")
			if err != nil || !bytes.Equal(kept, content) {
				t.Errorf("the old content is not kept: %v", err)
			}
			if text := lines.String(); !strings.Contains(text, path+".damaged-2") || !strings.Contains(text, "level=ERROR") {
				t.Errorf("log: %q", text)
			}
		})
	}
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// The WAL of a damaged file is moved aside together with it, and is not applied to the new file.
func TestDamagedFileOfAKilledWriter(t *testing.T) {
	from, path := filepath.Join(t.TempDir(), FileName), filepath.Join(t.TempDir(), FileName)
	l := openLog(t, from)
	if _, err := l.write.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	add(t, l, decision("the last words"))
	wal, err := os.ReadFile(from + "-wal") // as a kill at this moment would leave it
	if err != nil || len(wal) == 0 {
		t.Fatalf("%d bytes, %v", len(wal), err)
	}
	writeFile(t, path+"-wal", wal)
	writeFile(t, path, bytes.Repeat([]byte("junk"), 8192))
	l = openLog(t, path)
	add(t, l, decision("new"))
	if got := commandsOf(list(t, l, Filter{})); got != "new" {
		t.Errorf("the new file holds %q", got)
	}
	kept, err := os.ReadFile(path + ".damaged-1")
	if err != nil {
		t.Fatal(err)
	}
	rest, _ := os.ReadFile(path + ".damaged-1-wal") // SQLite may have checkpointed it already
	if !bytes.Contains(append(kept, rest...), []byte("the last words")) || !bytes.Contains(kept, []byte("junkjunk")) {
		t.Error("the old content is not kept")
	}
}

// A reader reports a damaged file and does not move it.
func TestReaderOfDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	writeFile(t, path, bytes.Repeat([]byte("junk"), 2000))
	_, err := OpenReader(path)
	if !errors.Is(err, errDamaged) || !strings.Contains(err.Error(), path) || fault.HintOf(err) == "" {
		t.Errorf("reader: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("a reader moved the file: %v", err)
	}
}

func TestDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := openLog(t, path)
	if _, err := l.write.ExecContext(t.Context(), "PRAGMA max_page_count = 20"); err != nil {
		t.Fatal(err)
	}
	var err error
	kept := 0
	for ; err == nil && kept < 100; kept++ {
		_, err = l.Append(t.Context(), decision(strings.Repeat("x", 8000)))
	}
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "disk is full") || fault.KindOf(err) != fault.Infra {
		t.Fatalf("after %d records: %v", kept, err)
	}
	if got := len(list(t, l, Filter{})); got != kept-1 {
		t.Errorf("%d records, %d were taken", got, kept-1)
	}
	if n, err := l.Prune(t.Context(), noon.Add(time.Hour)); err != nil || int(n) != kept-1 {
		t.Errorf("prune a full file: %d, %v", n, err)
	}
	add(t, l, decision("there is room again"))
}

func TestFileHeldByAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l, other := openLog(t, path), openLog(t, path)
	if _, err := l.write.ExecContext(t.Context(), "PRAGMA busy_timeout = 20"); err != nil {
		t.Fatal(err)
	}
	tx, err := other.write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := l.Append(t.Context(), decision("x")); err == nil || !strings.Contains(err.Error(), "another process") || !strings.Contains(err.Error(), path) {
		t.Errorf("append: %v", err)
	}
}

func TestMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := openLog(t, path)
	add(t, l, decision("kept"))
	next := append(append([]string{}, migrations...), "ALTER TABLE records ADD COLUMN extra TEXT NOT NULL DEFAULT 'none'", "UPDATE records SET extra = 'seen'")
	broken := append(append([]string{}, next...), "UPDATE records SET extra = 'half'; SELECT nonsense FROM nowhere")
	if err := l.migrate(t.Context(), broken); err == nil {
		t.Error("a broken step went through")
	}
	if version, err := l.version(t.Context(), l.write); err != nil || version != len(migrations) {
		t.Errorf("after the broken step: version %d, %v", version, err)
	}
	for range 2 {
		if err := l.migrate(t.Context(), next); err != nil {
			t.Fatal(err)
		}
	}
	var extra string
	if err := l.write.QueryRowContext(t.Context(), "SELECT extra FROM records").Scan(&extra); err != nil || extra != "seen" {
		t.Errorf("extra %q, %v", extra, err)
	}
	if got := commandsOf(list(t, l, Filter{})); got != "kept" {
		t.Errorf("records %q", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, openErr := Open(t.Context(), path, nil)
	_, readErr := OpenReader(path)
	for _, err := range []error{openErr, readErr} {
		if fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "newer") || !strings.Contains(err.Error(), path) {
			t.Errorf("a newer file: %v", err)
		}
	}
}

func TestForeignDatabaseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	l := openLog(t, path)
	if _, err := l.write.ExecContext(t.Context(), "ALTER TABLE schema_version RENAME TO other"); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, nil); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("open: %v", err)
	}
}

func TestCancelledAppendIsAnError(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), FileName))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Append(ctx, decision("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("append: %v", err)
	}
	add(t, l, decision("still open"))
}

func BenchmarkAppend(b *testing.B) {
	l := openLog(b, filepath.Join(b.TempDir(), FileName))
	r := decision("cd internal && go test ./... 2>&1 | tail -20")
	for b.Loop() {
		if _, err := l.Append(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen opens a file of a hundred thousand records, including the integrity check.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), FileName)
	l := openLog(b, path)
	_, err := l.write.ExecContext(b.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		INSERT INTO records SELECT i, i, 'decision', 't', 's', 'r', 'h', 'Bash', '/work', hex(zeroblob(150)), 0, '', 'allow', '', '', '', NULL, 0 FROM n`)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		l, err := Open(b.Context(), path, nil)
		if err != nil {
			b.Fatal(err)
		}
		_ = l.Close()
	}
}

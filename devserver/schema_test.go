package devserver

import (
	"context"
	"database/sql"
	"maps"
	"path/filepath"
	"testing"
)

// openFile gives a test its own way into the database.
func openFile(t *testing.T, file string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func change(t *testing.T, file, statement string) {
	t.Helper()
	db := openFile(t, file)
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func names(t *testing.T, file string) map[string]bool {
	t.Helper()
	db := openFile(t, file)
	defer db.Close()
	found, err := schemaNames(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A file of a server that knew fewer tables gets the missing ones and keeps what it has.
func TestMissingTablesAreAdded(t *testing.T) {
	db, err := newDatabase(filepath.Join(t.TempDir(), "x.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	complete := names(t, db.file)
	change(t, db.file, "DROP TABLE nexus_endpoints")
	change(t, db.file, "DROP INDEX by_workflow_id")
	change(t, db.file, "UPDATE namespace_metadata SET notification_version = 77")
	if err := db.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(t, db.file); !maps.Equal(got, complete) {
		t.Errorf("schema after repair has %d objects, want %d", len(got), len(complete))
	}
	var rows, version int
	row := openFile(t, db.file).QueryRow("SELECT count(*), max(notification_version) FROM namespace_metadata")
	if err := row.Scan(&rows, &version); err != nil || rows != 1 || version != 77 {
		t.Errorf("namespace_metadata: %d rows, version %d, %v; want the one that was there", rows, version, err)
	}
}

// What cannot be finished leaves no trace: the tables are laid out in one transaction.
func TestSchemaIsAllOrNothing(t *testing.T) {
	db, err := newDatabase(filepath.Join(t.TempDir(), "x.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	change(t, db.file, "CREATE TABLE namespaces (id INT)")
	// Its indexes come last and name columns that this one lacks.
	change(t, db.file, "CREATE TABLE executions_visibility (id INT)")
	before := names(t, db.file)
	if err := db.prepare(t.Context()); err == nil {
		t.Fatal("no error")
	}
	if after := names(t, db.file); !maps.Equal(after, before) {
		t.Errorf("left behind %d objects, there were %d", len(after), len(before))
	}
}

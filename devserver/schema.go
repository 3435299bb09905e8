package devserver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"

	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/schema/sqlite"
	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A table every Temporal database has, in every version of the server.
const markerTable = "namespaces"

// checkDatabase reads the whole file once: damage is better met here than in the middle of a task.
func checkDatabase(ctx context.Context, db *sql.DB, file string) error {
	var verdict string
	if err := db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return explainSQLite(err, file)
	}
	if verdict != "ok" {
		return fmt.Errorf("database %s is damaged (%s): restore a copy, or move it aside to start empty", file, verdict)
	}
	names, err := schemaNames(ctx, db)
	if err != nil {
		return explainSQLite(err, file)
	}
	if len(names) > 0 && !names[markerTable] {
		return fmt.Errorf("database %s belongs to another program: use another file", file)
	}
	return nil
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// schemaNames lists tables, indexes and triggers.
func schemaNames(ctx context.Context, db querier) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, "SELECT name FROM sqlite_master")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names[name] = true
	}
	return names, rows.Err()
}

// applySchema creates what the server needs and the file does not have, in one transaction.
func applySchema(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	names, err := schemaNames(ctx, tx)
	if err != nil {
		return err
	}
	if err := sqlite.SetupSchemaOnDB(&schemaTx{tx: tx, existing: names}); err != nil {
		return err
	}
	return tx.Commit()
}

// schemaTx gives the server's schema setup a transaction to run in. The setup only calls Exec.
type schemaTx struct {
	sqlplugin.AdminDB
	tx       *sql.Tx
	existing map[string]bool
}

var schemaTarget = regexp.MustCompile(`(?i)^\s*(?:CREATE\s+(?:UNIQUE\s+|VIRTUAL\s+)?(?:TABLE|INDEX|TRIGGER)|INSERT\s+INTO)\s+(\w+)`)

// Exec runs one statement of the schema, unless what it creates or fills was there before.
func (s *schemaTx) Exec(statement string, args ...any) error {
	if target := schemaTarget.FindStringSubmatch(statement); target != nil && s.existing[target[1]] {
		return nil
	}
	_, err := s.tx.Exec(statement, args...)
	return err
}

// explainSQLite turns the errors a user can do something about into one line that names the file. It names no flag, because
// those who run us for others call it something else. Errors that are not SQLite's stay as they are.
func explainSQLite(err error, file string) error {
	var sqliteErr *sqlitedriver.Error
	if !errors.As(err, &sqliteErr) {
		return err
	}
	switch sqliteErr.Code() & 0xff { // the low byte is the kind, the rest says which sort of it
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("database %s is not a SQLite database, or its first page is damaged: restore a copy or use another file", file)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("database %s is damaged: restore a copy, or move it aside to start empty", file)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("database %s is in use by another server: stop that one or use another file", file)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return fmt.Errorf("database %s cannot be written by this user: change its permissions and those of its folder, or use another file", file)
	case sqlite3.SQLITE_IOERR:
		return fmt.Errorf("database %s cannot be read or written (%w): look whether its disk is sound, or use another file", file, sqliteErr)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("database %s: the disk is full", file)
	}
	return fmt.Errorf("database %s: %w", file, err)
}

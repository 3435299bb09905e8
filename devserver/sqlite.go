package devserver

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	persistence "go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/resolver"
)

// database is the SQLite database of one server: a file, or memory.
type database struct {
	file    string // absolute; empty for memory
	pragmas map[string]string
	name    string // as it stands in a SQLite URI
}

func newDatabase(file string, userPragmas map[string]string) (database, error) {
	if file == "" {
		// The name keeps two servers in one process apart.
		return database{name: strconv.FormatUint(rand.Uint64(), 36), pragmas: userPragmas}, nil
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return database{}, fmt.Errorf("--db-filename %s: %w", file, err)
	}
	pragmas := map[string]string{
		// A commit appends to a log; kill -9 leaves the file and the log readable.
		"journal_mode": "wal",
		// Every commit is on disk before it is acknowledged, so that power loss undoes nothing.
		"synchronous": "full",
		// One server per file: a second one would fight the first over every workflow.
		"locking_mode": "exclusive",
		"busy_timeout": "5000",
	}
	maps.Copy(pragmas, userPragmas)
	return database{file: abs, pragmas: pragmas, name: escapeURI(abs)}, nil
}

// escapeURI escapes what would end the path inside a SQLite URI.
func escapeURI(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// config is the database as the server's persistence layer wants it. One connection, which is the
// plugin's default: writers never wait for each other inside SQLite, and exclusive locking needs it.
func (d database) config() *config.SQL {
	attributes := map[string]string{"mode": "rw"}
	if d.file == "" {
		attributes = map[string]string{"mode": "memory", "cache": "shared"}
	}
	maps.Copy(attributes, d.pragmas)
	return &config.SQL{PluginName: sqliteplugin.PluginName, DatabaseName: d.name, ConnectAttributes: attributes}
}

// prepare makes the file when there is none, checks it, and lays out the tables. It is one transaction:
// a kill in the middle leaves an empty database, which the next start fills. Memory needs none of it,
// the plugin does the layout on connect.
func (d database) prepare(ctx context.Context) error {
	if d.file == "" {
		return nil
	}
	if err := createFile(d.file); err != nil { // it stays, whatever comes: another server may have it open by then
		return err
	}
	// It waits 3 seconds, because a server that was killed may hold the file for a moment.
	db, err := sql.Open("sqlite", "file:"+d.name+"?mode=rw&_txlock=immediate&_pragma=busy_timeout(3000)")
	if err != nil {
		return fmt.Errorf("open database %s: %w", d.file, err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if err := checkDatabase(ctx, db, d.file); err != nil {
		return err
	}
	if err := applySchema(ctx, db); err != nil {
		return explainSQLite(err, d.file)
	}
	return nil
}

// createFile makes an empty file that only this user can read, since it will hold the text of tasks.
func createFile(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return f.Close()
	}
	info, statErr := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrExist) && statErr == nil && info.Mode().IsRegular():
		return nil
	case statErr == nil && !info.Mode().IsRegular():
		return fmt.Errorf("database %s: not a regular file; name a file", file)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("database %s: folder %s does not exist; create it first", file, filepath.Dir(file))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("database %s: folder %s is not writable by this user", file, filepath.Dir(file))
	}
	return fmt.Errorf("create database %s: %w", file, err)
}

// connect opens the database through the server's plugin, which keeps one connection for the process.
func (d database) connect() (sqlplugin.DB, error) {
	db, err := persistence.NewSQLDB(sqlplugin.DbKindMain, d.config(), resolver.NewNoopResolver(), log.NewNoopLogger(),
		metrics.NoopMetricsHandler)
	if err != nil {
		return nil, explainSQLite(err, d.file)
	}
	return db, nil
}

// settle folds the write-ahead log into the file after a clean stop, so that the file alone is the whole
// database and can be copied. The plugin never closes its connection, so this goes through it.
func (d database) settle() error {
	if d.file == "" || d.pragmas["journal_mode"] != "wal" {
		return nil
	}
	db, err := persistence.NewSQLAdminDB(sqlplugin.DbKindMain, d.config(), resolver.NewNoopResolver(), log.NewNoopLogger(),
		metrics.NoopMetricsHandler)
	if err != nil {
		return explainSQLite(err, d.file)
	}
	// Under exclusive locking the rollback journal would stay behind, so the lock goes in between.
	for _, pragma := range []string{"journal_mode=truncate", "locking_mode=normal", "journal_mode=delete"} {
		if err := db.Exec("PRAGMA " + pragma); err != nil {
			return explainSQLite(err, d.file)
		}
	}
	return nil
}

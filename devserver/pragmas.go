package devserver

import (
	"database/sql"
	"fmt"
)

// uriParameters look like pragmas to the server's plugin but decide which file is opened and how.
var uriParameters = [...]string{"cache", "immutable", "mode", "modeof", "nolock", "psow", "setup", "vfs"}

// checkPragmas refuses names SQLite does not know: it would ignore them without a word.
func checkPragmas(pragmas map[string]string) error {
	if len(pragmas) == 0 {
		return nil
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return fmt.Errorf("open SQLite: %w", err)
	}
	defer db.Close()
	for name, value := range pragmas {
		for _, parameter := range uriParameters {
			if name == parameter {
				return fmt.Errorf("--sqlite-pragma %s=%s: not a pragma; --db-filename decides how the file is opened", name, value)
			}
		}
		var known int
		if err := db.QueryRow("SELECT count(*) FROM pragma_pragma_list WHERE name = lower(?)", name).Scan(&known); err != nil {
			return fmt.Errorf("list pragmas: %w", err)
		}
		if known == 0 {
			return fmt.Errorf("--sqlite-pragma %s=%s: SQLite has no pragma of that name", name, value)
		}
	}
	return nil
}

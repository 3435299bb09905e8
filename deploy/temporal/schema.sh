#!/bin/sh
# Creates Temporal's two databases and brings their tables to the version of this image. It may run again at any time.
set -eu

SQL_PASSWORD="$(cat "$POSTGRES_PASSWORD_FILE")"
export SQL_PASSWORD

# prepare DATABASE SCHEMA: a database that is there already keeps its content.
prepare() {
	temporal-sql-tool --db "$1" create-database
	temporal-sql-tool --db "$1" setup-schema --version 0.0
	temporal-sql-tool --db "$1" update-schema --schema-name "$2"
}

prepare temporal postgresql/v12/temporal
prepare temporal_visibility postgresql/v12/visibility
echo "Temporal's databases are ready."

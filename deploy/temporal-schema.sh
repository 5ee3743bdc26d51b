#!/bin/sh
# Makes Temporal's tables, or brings them up to this image's version. The
# databases are there (postgres-init.sh). Safe to run again.
set -eu
SQL_PASSWORD=$(cat "$POSTGRES_PWD_FILE")
export SQL_PASSWORD
schema=${SCHEMA_DIR:-/etc/temporal/schema/postgresql/v12}

for part in temporal visibility; do
  database=$DBNAME
  [ "$part" = temporal ] || database=$VISIBILITY_DBNAME
  tool() { temporal-sql-tool --plugin "$DB" --ep "$POSTGRES_SEEDS" -p "$DB_PORT" -u "$POSTGRES_USER" --db "$database" "$@"; }
  tool setup-schema -v 0.0
  tool update-schema -d "$schema/$part/versioned"
done

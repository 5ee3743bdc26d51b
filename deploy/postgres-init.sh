#!/bin/sh
# Runs once, on an empty data directory, as the image's superuser: a role for
# each of the two programs, which owns its databases, is no superuser, and
# can't even connect to the other's.
set -eu
secrets=${SECRETS_DIR:-/run/secrets}
export PGUSER="${POSTGRES_USER:-postgres}" PGDATABASE="${POSTGRES_DB:-postgres}"

role() { # a name, then its databases
  name=$1
  shift
  export password_file="$secrets/${name}_password"
  # psql quotes the variables, and no password stands on a command line.
  psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 -v name="$name" <<'SQL'
\set password `cat "$password_file"`
CREATE ROLE :"name" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
SQL
  for database in "$@"; do
    psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 -v name="$name" -v database="$database" <<'SQL'
CREATE DATABASE :"database" OWNER :"name";
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
SQL
  done
}

role vestnik vestnik
role temporal temporal temporal_visibility

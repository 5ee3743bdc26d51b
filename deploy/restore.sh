#!/bin/sh
# Restores a backup from standard input into an empty database, with every
# destination paused, in one transaction: nothing is sent before an operator has
# looked. docs/backup.md says what comes before and after.
#
#   deploy/restore.sh <vestnik.dump
#   docker compose exec -T postgres /restore.sh <vestnik.dump
#
# The database is named as for backup.sh.
set -eu
if [ -z "${DATABASE_URL:-}" ] && [ -r /run/secrets/vestnik_password ]; then # in compose's container
  export PGHOST=127.0.0.1 PGUSER=vestnik PGDATABASE=vestnik
  PGPASSWORD=$(cat /run/secrets/vestnik_password)
  export PGPASSWORD
fi
sql() { psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 "$@" ${DATABASE_URL:+"--dbname=$DATABASE_URL"}; }

if [ "$(sql --no-align --tuples-only --command="SELECT to_regclass('relay.deliveries') IS NULL")" != t ]; then
  echo "restore: the database is not empty; make a new one, and point DATABASE_URL at it" >&2
  exit 1
fi
{
  if pg_restore --no-owner --no-privileges --file=-; then
    cat <<'SQL'
UPDATE relay.destinations SET paused_at = now(), paused_by = 'restore.sh', pause_reason = 'restored from a backup: look before you resume'
WHERE paused_at IS NULL;
SQL
  else
    # It may have ended within a row: \. ends the table's data, which would take in what follows.
    printf '%s\n' '' '\.' 'DO $$ BEGIN RAISE EXCEPTION $m$the backup is not whole: nothing was restored$m$; END $$;'
  fi
} | sql --single-transaction --output=/dev/null
echo "restored; every destination is paused" >&2

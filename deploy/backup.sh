#!/bin/sh
# Writes a backup of Vestnik's database to standard output:
#
#   deploy/backup.sh >vestnik.dump
#   docker compose exec -T postgres /backup.sh >vestnik.dump
#
# The database is named as for psql (PGHOST, PGUSER, PGDATABASE, PGPASSFILE), or by
# DATABASE_URL; a password in that is seen by whoever lists processes here.
set -eu
umask 077
if [ -z "${DATABASE_URL:-}" ] && [ -r /run/secrets/vestnik_password ]; then # in compose's container
  export PGHOST=127.0.0.1 PGUSER=vestnik PGDATABASE=vestnik
  PGPASSWORD=$(cat /run/secrets/vestnik_password)
  export PGPASSWORD
fi
exec pg_dump --format=custom --no-owner --no-privileges ${DATABASE_URL:+"--dbname=$DATABASE_URL"}

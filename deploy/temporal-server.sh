#!/bin/sh
# Hands the image's own start the password, which it takes from its
# environment only.
set -eu
POSTGRES_PWD=$(cat "$POSTGRES_PWD_FILE")
export POSTGRES_PWD
exec "${TEMPORAL_ENTRYPOINT:-/etc/temporal/entrypoint.sh}"

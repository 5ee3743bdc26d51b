#!/bin/sh
# Makes the secrets that docker compose hands to its containers as files, each
# random, in deploy/secrets. What is there stays: a database keeps the password
# that it was made with.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets tokens
chmod 700 secrets
chmod 711 tokens # it is mounted as a whole: the containers' user must pass through it, and nobody else list it

for name in postgres_password vestnik_password temporal_password ops_token cms_token webhook_secret; do
  [ -s "secrets/$name" ] || od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"secrets/$name"
done
[ -s secrets/database_url ] ||
  printf 'postgres://vestnik:%s@postgres:5432/vestnik?sslmode=disable' "$(cat secrets/vestnik_password)" >secrets/database_url

# Containers read them as users of their own; the folder keeps others out.
chmod 644 secrets/*
echo "deploy/secrets is complete; the console's token: $(pwd)/secrets/ops_token"

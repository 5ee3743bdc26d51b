#!/bin/sh
# Gives the namespace its retention and the search attributes that Vestnik's
# workflows set. Safe to run again.
set -eu
namespace=${TEMPORAL_NAMESPACE:-default}

# The server answers before its default namespace is there.
tries=0
until temporal operator namespace describe --namespace "$namespace" >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge 60 ]; then
    echo "namespace $namespace does not appear" >&2
    exit 1
  fi
  sleep 1
done

temporal operator namespace update --namespace "$namespace" --retention 720h
for name in DeliveryState Destination PostType ParkReason; do
  if temporal operator search-attribute list --namespace "$namespace" | grep -qw "$name"; then
    continue
  fi
  temporal operator search-attribute create --namespace "$namespace" --name "$name" --type Keyword
done

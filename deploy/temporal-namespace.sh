#!/bin/sh
# Makes the namespace if it is not there, and gives it its retention and the
# search attributes that Vestnik's workflows set. Safe to run again.
set -eu
namespace=${TEMPORAL_NAMESPACE:-default}
export HOME="${HOME:-/nonexistent}" # where temporal looks for a file of settings; it runs with none, but not without a name for it

# The port is open before the server is ready.
tries=0
until temporal operator cluster health >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -ge 60 ]; then
    echo "the server at $TEMPORAL_ADDRESS does not become healthy" >&2
    exit 1
  fi
  sleep 1
done

# A workflow id is a unique key for as long as its history is kept.
if temporal operator namespace describe --namespace "$namespace" >/dev/null 2>&1; then
  temporal operator namespace update --namespace "$namespace" --retention 720h
else
  temporal operator namespace create --namespace "$namespace" --retention 720h
fi

# A namespace made a moment ago is not known everywhere yet.
tries=0
until listed=$(temporal operator search-attribute list --namespace "$namespace" 2>/dev/null); do
  tries=$((tries + 1))
  if [ "$tries" -ge 60 ]; then
    echo "namespace $namespace does not appear" >&2
    exit 1
  fi
  sleep 1
done
for name in DeliveryState Destination PostType ParkReason; do
  if echo "$listed" | grep -qw "$name"; then
    continue
  fi
  temporal operator search-attribute create --namespace "$namespace" --name "$name" --type Keyword
done

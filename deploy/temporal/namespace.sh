#!/bin/sh
# Creates the namespace when it is missing, and ends when the server answers for it. One that exists stays as its
# operator set it.
set -eu

if temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
	echo "Namespace $TEMPORAL_NAMESPACE exists."
else
	temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"
fi

# The parts of the server learn of a new namespace one after the other, within seconds.
attempt=0
until temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; do
	attempt=$((attempt + 1))
	if [ "$attempt" -ge 60 ]; then
		echo "Namespace $TEMPORAL_NAMESPACE is not usable after a minute." >&2
		exit 1
	fi
	sleep 1
done
echo "Namespace $TEMPORAL_NAMESPACE is ready."

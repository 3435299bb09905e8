#!/bin/sh
# Starts the Temporal server. It takes the database's password from its environment only, so this is where the secret
# file is read: the value shows in no compose file and in no output of docker inspect.
set -eu

POSTGRES_PWD="$(cat "$POSTGRES_PASSWORD_FILE")"
export POSTGRES_PWD

exec /etc/temporal/entrypoint.sh

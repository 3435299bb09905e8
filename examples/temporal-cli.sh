#!/bin/sh
# Starts a task, shows its plan, approves it when you say so, and waits for the end: with the `temporal` command alone.
# It finds the server by TEMPORAL_ADDRESS, localhost:7233 by default.
set -eu

if [ $# -ne 3 ]; then
	echo "usage: $0 ID REPOSITORY TASK" >&2
	exit 2
fi
id=$1

# Input is JSON, so quotes and backslashes in a text must be escaped. approval.mode: the plan never passes by itself.
temporal workflow start --type CodingTask --task-queue longshift --workflow-id "$id" \
	--input "{\"repository\": \"$2\", \"task\": \"$3\", \"config\": {\"approval\": {\"mode\": \"required\"}}}"

running() { temporal workflow describe --workflow-id "$id" --output json | grep -q WORKFLOW_EXECUTION_STATUS_RUNNING; }
status() { temporal workflow query --workflow-id "$id" --name status --output json; }

# A task may end without a plan to approve, because its input is wrong or there is nothing to do.
while running && ! status | grep -Eq '"phase": *"approving"'; do
	sleep 5
done

if running; then
	status
	printf 'Approve this plan? [y/N] '
	read -r answer
	[ "$answer" = y ] || exit 1 # the task waits for approve, edit, reject or abandon
	# With the revision, a plan that has changed meanwhile is not approved by mistake.
	temporal workflow update execute --workflow-id "$id" --name approve --input '{"revision": 1, "by": "temporal-cli.sh"}'
fi

# The result has the outcome, the pull request and the cost.
temporal workflow result --workflow-id "$id"

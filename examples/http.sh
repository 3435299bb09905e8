#!/bin/sh
# Starts a task, shows its plan, approves it when you say so, and waits for the end: with curl and jq, by Temporal's HTTP API.
# `longshift dev` does not serve that API. Its server does when it is started by hand:
#   longshift-devserver server start-dev --db-filename temporal.db --http-port 7243
set -eu

if [ $# -ne 3 ]; then
	echo "usage: $0 ID REPOSITORY TASK" >&2
	exit 2
fi
id=$1
tasks=${TEMPORAL_HTTP:-http://localhost:7243}/api/v1/namespaces/${TEMPORAL_NAMESPACE:-default}/workflows

# call PATH [BODY] prints the answer. A refusal has its reason in the body, so print that too.
call() { curl -sS --fail-with-body -H 'Content-Type: application/json' ${2:+--data "$2"} "$tasks/$1"; }

# approval.mode: the plan never passes by itself.
call "$id" "$(jq -n --arg repository "$2" --arg task "$3" '{
  workflowType: {name: "CodingTask"}, taskQueue: {name: "longshift"},
  input: [{repository: $repository, task: $task, config: {approval: {mode: "required"}}}]
}')"

running() { call "$id" | jq -e '.workflowExecutionInfo.status == "WORKFLOW_EXECUTION_STATUS_RUNNING"' >/dev/null; }
status() { call "$id/query/status" '{}' | jq '.queryResult[0]'; }

# A task may end without a plan to approve, because its input is wrong or there is nothing to do.
while running && ! status | jq -e '.phase == "approving"' >/dev/null; do
	sleep 5
done

if running; then
	status | jq .plan
	printf 'Approve this plan? [y/N] '
	read -r answer
	[ "$answer" = y ] || exit 1 # the task waits for approve, edit, reject or abandon
	# With the revision, a plan that has changed meanwhile is not approved by mistake. An update id counts once.
	call "$id/update/approve" '{
	  "request": {"meta": {"updateId": "approve-1"}, "input": {"args": [{"revision": 1, "by": "http.sh"}]}},
	  "waitPolicy": {"lifecycleStage": "UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED"}
	}'
fi

while running; do
	sleep 10
done
# The last event has the result, or says why the task could not be carried out.
call "$id/history?historyEventFilterType=HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT" | jq '.history.events[0]
  | .workflowExecutionCompletedEventAttributes.result[0]
    // error(.workflowExecutionFailedEventAttributes.failure.message // .eventType)
  | {outcome, pullRequest, cost: .usage.costUsd}'

#!/usr/bin/env bash
# The same job as the measured task, done by hand: the same agent launches and the same git work, with nothing around them.
# Usage: baseline.sh <remote> <folder> <base URL> <claude>
set -euo pipefail
remote=$1 work=$2 url=$3 claude=$4
mkdir -p "$work/home"
export HOME=$work/home ANTHROPIC_BASE_URL=$url ANTHROPIC_API_KEY=key TZ=UTC IS_SANDBOX=1 DISABLE_AUTOUPDATER=1
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1
git clone -q --bare "$remote" "$work/mirror.git"
git -C "$work/mirror.git" worktree add -q -b task "$work/tree" main
cd "$work/tree"
git config user.name bench
git config user.email bench@localhost

session() { # role, model, prompt, further flags
  local role=$1 model=$2 prompt=$3
  shift 3
  "$claude" -p "$prompt" --output-format stream-json --verbose --model "$model" --setting-sources "" --strict-mcp-config \
    --append-system-prompt "Role: $role" --dangerously-skip-permissions "$@" </dev/null >>"$work/log.jsonl"
}
checks() { true; }

session planner opus "plan the task"
checks
for id in A-001 A-002 A-003; do
  session implementer sonnet "do $id"
  git add -A
  git commit -q -m "did $id"
  git push -q "$remote" HEAD:refs/bench/checkpoint
  checks
done
session reviewer sonnet "review the work"
git push -q "$remote" HEAD:refs/heads/bench-task
git update-ref refs/bench/pull "$(git rev-parse HEAD)"
cd /
git -C "$work/mirror.git" worktree remove --force "$work/tree"

#!/usr/bin/env bash
# The same job as the measured task, done by hand: the same agent launches and the same git work, with nothing around them.
# Usage: baseline.sh <remote> <folder> <base URL> <program> <claude|codex|opencode>
set -euo pipefail
remote=$1 work=$2 url=$3 program=$4 agent=$5
mkdir -p "$work/home"
export HOME=$work/home ANTHROPIC_BASE_URL=$url ANTHROPIC_API_KEY=key TZ=UTC IS_SANDBOX=1 DISABLE_AUTOUPDATER=1
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1
git clone -q --bare "$remote" "$work/mirror.git"
git -C "$work/mirror.git" worktree add -q -b task "$work/tree" main
cd "$work/tree"
git config user.name bench
git config user.email bench@localhost

claude() { # role, model, prompt
  "$program" -p "$3" --output-format stream-json --verbose --model "$2" --setting-sources "" --strict-mcp-config \
    --append-system-prompt "Role: $1" --dangerously-skip-permissions
}
codex() {
  CODEX_HOME=$work/home KEY=key "$program" exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox -m gpt-5.5 \
    -c "developer_instructions=\"Role: $1\"" -c 'model_provider="bench"' \
    -c "model_providers.bench={name=\"bench\",base_url=\"$url/v1\",env_key=\"KEY\",wire_api=\"responses\"}" "$3"
}
opencode() {
  echo "Role: $1" >"$work/role.md"
  OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 OPENCODE_PURE=1 OPENCODE_CONFIG_CONTENT="{
    \"model\":\"bench/m\",\"small_model\":\"bench/m\",\"share\":\"disabled\",\"snapshot\":false,\"instructions\":[\"$work/role.md\"],
    \"agent\":{\"title\":{\"disable\":true}},\"provider\":{\"bench\":{\"npm\":\"@ai-sdk/anthropic\",
    \"options\":{\"baseURL\":\"$url/v1\",\"apiKey\":\"key\"},\"models\":{\"m\":{\"tool_call\":true}}}}}" "$program" run --format json "$3"
}
session() { # role, model, prompt
  "$agent" "$@" </dev/null >>"$work/log.jsonl"
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

#!/bin/bash
# Health of a Longshift worker: does one of its processes hold an open connection to the Temporal server? The SDK and
# the server both ping, and drop a connection whose other side is gone or hangs, so an open one means that both live.
set -euo pipefail

address=${TEMPORAL_ADDRESS:-127.0.0.1:7233}
port=${address##*:}
if ! [[ $port =~ ^[0-9]{1,5}$ ]]; then
	echo "TEMPORAL_ADDRESS=$address: no port in it; give host:port"
	exit 2
fi
hex=$(printf '%04X' "$port")

# connected INODE: is the socket a worker's? The kernel keeps the first 15 letters of a program's name.
connected() {
	local process name
	for process in /proc/[0-9]*; do
		{ read -r name <"$process/comm"; } 2>/dev/null || continue
		[[ $name == longshift-worke ]] || continue
		if [[ -n $(find "$process/fd" -lname "socket:\[$1\]" -print -quit 2>/dev/null) ]]; then return 0; fi
	done
	return 1
}

# Each table is read in one go: read alone seeks back after each line, and misses some where connections come and go meanwhile.
for table in /proc/net/tcp /proc/net/tcp6; do
	[[ -r $table ]] || continue
	while read -r _ _ remote state _ _ _ _ _ inode _; do
		if [[ $state == 01 && ${remote##*:} == "$hex" ]] && connected "$inode"; then
			echo "connected to Temporal at $address"
			exit 0
		fi
	done <<<"$(<"$table")"
done
echo "no worker here is connected to Temporal at $address"
exit 1

package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var (
	foreignCalls program // 32-bit calls have another architecture id
	refusedHere  []uint32
	modeArgsHere []modeArg
	opensHere    []modeArg
)

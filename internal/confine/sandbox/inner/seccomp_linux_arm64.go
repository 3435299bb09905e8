package inner

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var (
	foreignCalls Filter // 32-bit calls have another architecture id
	refusedHere  []uint32
	modeArgsHere []modeArg
	opensHere    []modeArg
)

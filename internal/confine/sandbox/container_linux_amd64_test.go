package sandbox

import (
	"maps"

	"golang.org/x/sys/unix"
)

// callsElsewhere are calls that only other architectures have.
var callsElsewhere = map[string]bool{}

func init() {
	maps.Copy(containerCalls, map[string]uint32{
		"iopl": unix.SYS_IOPL, "ioperm": unix.SYS_IOPERM, "modify_ldt": unix.SYS_MODIFY_LDT, "uselib": unix.SYS_USELIB,
		"_sysctl": unix.SYS__SYSCTL, "create_module": unix.SYS_CREATE_MODULE, "query_module": unix.SYS_QUERY_MODULE,
		"get_kernel_syms": unix.SYS_GET_KERNEL_SYMS, "ustat": unix.SYS_USTAT, "sysfs": unix.SYS_SYSFS,
	})
}

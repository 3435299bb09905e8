package sandbox

// callsElsewhere are calls that only other architectures have.
var callsElsewhere = map[string]bool{
	"iopl": true, "ioperm": true, "modify_ldt": true, "uselib": true, "_sysctl": true, "create_module": true, "query_module": true,
	"get_kernel_syms": true, "ustat": true, "sysfs": true,
}

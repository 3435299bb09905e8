//go:build !race

package guard

// Plain is "": the running program is started as guard and as init itself.
func Plain() string { return "" }

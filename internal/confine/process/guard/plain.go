//go:build !race

package guard

// Plain is "": the running program becomes guards and inits itself.
func Plain() string { return "" }

// Package archtest holds the rules about which package may import which, as a test with a reason for each rule.
// It has no code of its own and nothing may import it.
package archtest

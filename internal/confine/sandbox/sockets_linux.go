package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// accepting marks a listening socket in the kernel's list.
const accepting = "00010000"

// addSockets covers the socket files of services that run on this machine, wherever they lie: a read-only mount does not
// keep a program from speaking to them. A socket in a folder that the caller lets the program write is the caller's.
// A service that is started later is seen, unless its folder is hidden.
func (p *plan) addSockets() error {
	list, err := os.ReadFile("/proc/self/net/unix")
	if err != nil {
		return fault.New(fault.Infra, "sandbox: list sockets: %w", err)
	}
	for line := range bytes.Lines(list) {
		f := socketFields(string(line))
		if len(f) < 8 || f[3] != accepting || !filepath.IsAbs(f[7]) || p.ground.outermost(f[7]) != "" {
			continue
		}
		real, missing, err := p.ground.resolve(f[7])
		if err != nil || len(missing) > 0 || p.ground.outermost(real) != "" {
			continue // the name is what was asked for at the time; it may be gone
		}
		if info, err := os.Lstat(real); err != nil || info.Mode()&os.ModeSocket == 0 {
			continue
		}
		if err := p.addHidden(real); err != nil {
			return err
		}
	}
	return nil
}

// socketFields splits a line after its seven columns; the rest is a path, blanks and all.
func socketFields(line string) []string {
	var out []string
	rest := strings.TrimSuffix(line, "\n")
	for range 7 {
		field, more, ok := strings.Cut(strings.TrimLeft(rest, " "), " ")
		if !ok {
			return out
		}
		out, rest = append(out, field), more
	}
	return append(out, rest)
}

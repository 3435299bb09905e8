package sandbox

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// accepting marks a listening socket in /proc/net/unix.
const accepting = "00010000"

// addSockets covers the socket files of services on this machine, wherever they are: a read-only mount does not prevent
// connecting to them. Sockets in a folder that the program may write are left to the caller. The socket of a service
// that starts later is visible, unless its folder is hidden.
func (p *plan) addSockets() error {
	list, err := os.ReadFile("/proc/self/net/unix")
	if err != nil {
		return fault.New(fault.Infra, "sandbox: list sockets: %w", err)
	}
	for line := range bytes.Lines(list) {
		f := socketFields(string(line))
		if len(f) < 8 || f[3] != accepting || !filepath.IsAbs(f[7]) || p.written.outermost(f[7]) != "" {
			continue
		}
		real, missing, err := p.written.resolve(f[7])
		if err != nil || len(missing) > 0 || p.written.outermost(real) != "" {
			continue // the path from bind time; it may no longer exist
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

// socketFields splits a line into its seven columns and the path, which may contain spaces.
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

package devserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
)

const (
	// DefaultNamespace exists in every server.
	DefaultNamespace = "default"
	// DefaultRetention is how long closed workflows stay readable in a new namespace.
	DefaultRetention = 30 * 24 * time.Hour

	// minRetention is the server's own lower bound.
	minRetention  = time.Hour
	uiPortOffset  = 1000
	highestPort   = 65535
	loopback      = "127.0.0.1"
	defaultPort   = 7233
	maxNameLength = 1000
)

// Options say what to start. The zero value is a server in memory on free ports.
type Options struct {
	IP          string // address of the gRPC, HTTP and metrics listeners; empty is 127.0.0.1
	Port        int    // gRPC; 0 takes a free one
	HTTP        bool   // serve the HTTP API
	HTTPPort    int    // 0 takes a free one
	Metrics     bool   // serve Prometheus metrics
	MetricsPort int    // 0 takes a free one

	Headless        bool     // no Temporal Web
	UIIP            string   // empty is IP
	UIPort          int      // 0 is Port + 1000, or a free one when Port is 0
	UIHosts         []string // public names of Temporal Web, host or host:port, beside this machine's own
	UIPublicPath    string   // prefix of every Temporal Web path, "/temporal"
	UICodecEndpoint string   // URL of a codec server for Temporal Web
	UIAssetPath     string   // folder to serve in place of the built-in pages

	DBFilename string            // SQLite file; empty keeps everything in memory
	Pragmas    map[string]string // SQLite pragmas; they win over ours

	Namespaces       []string // made when missing; "default" always is
	SearchAttributes map[string]enumspb.IndexedValueType
	Retention        time.Duration // 0: 30 days for new namespaces, existing ones keep theirs

	DynamicConfig DynamicConfig // wins over our defaults
	Logger        *slog.Logger  // nil discards
}

// withDefaults checks the options and fills in what was left out. Errors name the flag and the value.
func (o Options) withDefaults() (Options, error) {
	var err error
	if o.IP, err = parseIP("--ip", o.IP, loopback); err != nil {
		return o, err
	}
	if o.UIIP, err = parseIP("--ui-ip", o.UIIP, o.IP); err != nil {
		return o, err
	}
	if err := o.checkPorts(); err != nil {
		return o, err
	}
	if o.UIPublicPath, err = cleanPublicPath(o.UIPublicPath); err != nil {
		return o, err
	}
	if o.Retention != 0 && o.Retention < minRetention {
		return o, fmt.Errorf("--retention %s: must be at least %s", o.Retention, minRetention)
	}
	if o.Namespaces, err = cleanNamespaces(o.Namespaces); err != nil {
		return o, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

// checkPorts refuses numbers that are no ports, and the same port given twice.
func (o Options) checkPorts() error {
	taken := map[int]string{}
	for _, p := range []struct {
		flag string
		port int
	}{{"--port", o.Port}, {"--http-port", o.HTTPPort}, {"--metrics-port", o.MetricsPort}, {"--ui-port", o.UIPort}} {
		if p.port < 0 || p.port > highestPort {
			return fmt.Errorf("%s %d: not a port; use 1 to %d, or 0 to leave the choice to the server", p.flag, p.port, highestPort)
		}
		if p.port == 0 || (p.flag == "--ui-port" && o.Headless) {
			continue
		}
		if other, ok := taken[p.port]; ok {
			return fmt.Errorf("%s %d: already given to %s; choose another", p.flag, p.port, other)
		}
		taken[p.port] = p.flag
	}
	return nil
}

// parseIP returns a literal address; "localhost" is 127.0.0.1, as for the official server.
func parseIP(flag, value, fallback string) (string, error) {
	switch {
	case value == "":
		return fallback, nil
	case value == "localhost":
		return loopback, nil
	case net.ParseIP(value) == nil:
		return "", fmt.Errorf("%s %q: not an IP address; use for example 127.0.0.1 or 0.0.0.0", flag, value)
	}
	return value, nil
}

func cleanPublicPath(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " ?#") {
		return "", fmt.Errorf("--ui-public-path %q: must be a path that starts with /, for example /temporal", path)
	}
	return strings.TrimRight(path, "/"), nil
}

// cleanNamespaces puts "default" first and drops repetitions.
func cleanNamespaces(names []string) ([]string, error) {
	clean := []string{DefaultNamespace}
	for _, name := range names {
		if err := checkNamespaceName(name); err != nil {
			return nil, fmt.Errorf("--namespace %q: %w", name, err)
		}
		if !slices.Contains(clean, name) {
			clean = append(clean, name)
		}
	}
	return clean, nil
}

func checkNamespaceName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("must not be empty")
	case len(name) > maxNameLength:
		return fmt.Errorf("longer than %d bytes", maxNameLength)
	case strings.ContainsAny(name, " \t\r\n/"):
		return errors.New("must not contain spaces or slashes")
	case name == "temporal-system":
		return errors.New("reserved by the server; choose another name")
	}
	return nil
}

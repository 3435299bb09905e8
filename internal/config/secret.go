package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// hidden is what every printed form of a secret shows.
const hidden = "[hidden]"

// Secret is a key or token. No way of printing it shows its value; only Read gives it. A secret kept in a file is read
// from there at every use, so that it can be changed while the process runs.
type Secret struct {
	value  string // from a variable or a file descriptor
	file   string // or the file that holds it
	source string // the variable it comes from
	report func(values ...string)
}

// NewSecret makes a secret of a value that no variable holds; source says where it comes from.
func NewSecret(value, source string) Secret { return Secret{value: value, source: source} }

// load finds where the secret comes from: NAME, NAME_FILE, NAME_FD, or the first fallback variable when none of these is set.
func (s *Secret) load(name string, fallbacks []string, lookup Lookup) error {
	var ways []string
	for _, way := range []string{name, name + "_FILE", name + "_FD"} {
		if value, _ := lookup(way); value != "" {
			ways = append(ways, way)
		}
	}
	if other, _ := firstSet(lookup, fallbacks); len(ways) == 0 && other != "" {
		ways = []string{other}
	}
	switch len(ways) {
	case 0:
		return nil
	case 1:
	case 2:
		return mistake(ways[0], "", "set together with "+ways[1]+"; give one of the two")
	default:
		return mistake(ways[0], "", "set together with "+strings.Join(ways[1:], " and ")+"; give one of the three")
	}
	source := ways[0]
	value, _ := lookup(source)
	switch source {
	case name + "_FILE":
		*s = Secret{file: value, source: source}
		return nil
	case name + "_FD":
		var err error
		if value, err = readInherited(source, value); err != nil {
			return err
		}
	}
	if strings.ContainsAny(strings.TrimSpace(value), "\r\n\x00") {
		return mistake(source, "", "holds more than one line; give the key alone")
	}
	*s = Secret{value: value, source: source}
	return nil
}

// ReportSecrets has every secret of the configuration tell each value that it gives out, before whoever asked gets it. So a
// redactor knows a key that was changed on disk from its first use on. report is called from many goroutines.
func (c *Config) ReportSecrets(report func(values ...string)) {
	for _, s := range c.Secrets() {
		s.report = report
	}
}

// Secrets gives every secret of the configuration, whether it is set or not, and those that tasks are granted.
func (c *Config) Secrets() []*Secret {
	var all []*Secret
	for _, field := range c.fields() {
		if secret, ok := field.Addr().Interface().(*Secret); ok {
			all = append(all, secret)
		}
	}
	for _, g := range c.grants {
		all = append(all, g.secret)
	}
	return all
}

// Present tells whether the secret is configured. A file may still turn out to be missing when it is read.
func (s Secret) Present() bool { return s.source != "" }

// Source names the variable the secret comes from, or "".
func (s Secret) Source() string { return s.source }

// Read gives the secret, without spaces around it. An unset secret is "" without an error. The error, a fault.Denied,
// names the variable and never the value.
func (s Secret) Read() (string, error) {
	value := strings.TrimSpace(s.value)
	if s.file != "" {
		var err error
		if value, err = s.readFile(); err != nil {
			return "", err
		}
	}
	if s.report != nil && value != "" {
		s.report(value)
	}
	return value, nil
}

func (s Secret) readFile() (string, error) {
	content, err := os.ReadFile(s.file)
	if err != nil {
		return "", fault.New(fault.Denied, "read secret of %s: %w", s.source, err).
			WithHint("let %s name a file that this user can read", s.source)
	}
	value := strings.TrimSpace(string(content))
	if value == "" || strings.ContainsAny(value, "\r\n\x00") {
		return "", fault.New(fault.Denied, "file of %s does not hold one line with a key", s.source).
			WithHint("write the key alone into the file")
	}
	return value, nil
}

// String gives "[hidden]", or "" when unset.
func (s Secret) String() string {
	if !s.Present() {
		return ""
	}
	return hidden
}

// Format keeps every verb of fmt from looking inside.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.String()) }

// MarshalJSON gives the hidden form.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// LogValue gives the hidden form.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

package config

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// hidden is printed in place of every secret.
const hidden = "[hidden]"

// Secret is a key or token. It is never printed, whatever the format; only Read returns its value. A secret kept in a file is read at
// every use, so that it can be changed while the process runs.
type Secret struct {
	value  string // from a variable or a file descriptor
	file   string // or the file that holds it
	source string // the variable it comes from
	many   bool   // it has many lines, as keys in PEM do
	report func(values ...string)
}

// NewSecret makes a secret that comes from no variable; source says where it comes from.
func NewSecret(value, source string) Secret { return Secret{value: value, source: source} }

// load finds the source of the secret: NAME, NAME_FILE, NAME_FD, or the first fallback variable when none of these is set. It is an
// error to set more than one.
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
		if !filepath.IsAbs(value) { // not repeated: it may be the secret itself
			return mistake(source, "", "not an absolute path; give one that starts with /")
		}
		*s = Secret{file: value, source: source, many: s.many}
		return nil
	case name + "_FD":
		var err error
		if value, err = readInherited(source, value); err != nil {
			return err
		}
	}
	if s.many {
		value = strings.ReplaceAll(value, `\n`, "\n") // as files of variables write it, which know no line ends
	}
	if s.broken(strings.TrimSpace(value)) {
		return mistake(source, "", "holds more than one line; give the key alone")
	}
	*s = Secret{value: value, source: source, many: s.many}
	return nil
}

// broken tells whether the value has lines that it must not have.
func (s Secret) broken(value string) bool {
	return strings.Contains(value, "\x00") || !s.many && strings.ContainsAny(value, "\r\n")
}

// ReportSecrets has every secret pass its value to report before Read returns it, so that a redactor knows a key that was changed on
// disk from its first use. report is called from many goroutines.
func (c *Config) ReportSecrets(report func(values ...string)) {
	for _, s := range c.Secrets() {
		s.report = report
	}
}

// Secrets returns every secret of the configuration, set or not, and those granted to tasks.
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

// Source returns the name of the variable that the secret comes from, or "".
func (s Secret) Source() string { return s.source }

// Read returns the secret without surrounding spaces. An unset secret is "" without an error. The error, a fault.Denied, names the
// variable and never contains the value.
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

// Report has a redactor know values that were made with the secret.
func (s Secret) Report(values ...string) {
	if s.report != nil {
		s.report(values...)
	}
}

func (s Secret) readFile() (string, error) {
	content, err := os.ReadFile(s.file)
	if err != nil {
		return "", fault.New(fault.Denied, "read secret of %s: %w", s.source, err).
			WithHint("let %s name a file that this user can read", s.source)
	}
	value := strings.TrimSpace(string(content))
	switch {
	case value == "" && s.many:
		return "", fault.New(fault.Denied, "file of %s is empty", s.source).WithHint("write the key into the file")
	case value == "" || s.broken(value):
		return "", fault.New(fault.Denied, "file of %s does not hold one line with a key", s.source).
			WithHint("write the key alone into the file")
	}
	return value, nil
}

// String returns "[hidden]", or "" when the secret is unset.
func (s Secret) String() string {
	if !s.Present() {
		return ""
	}
	return hidden
}

// Format hides the value from every verb of fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = fmt.Fprint(f, s.String()) }

func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

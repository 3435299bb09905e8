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
	value  string // from a variable
	file   string // or the file that holds it
	source string // the variable it comes from
}

// load finds where the secret comes from: NAME, NAME_FILE, or the fallback variable, in this order.
func (s *Secret) load(name, fallback string, lookup Lookup) error {
	value, _ := lookup(name)
	file, _ := lookup(name + "_FILE")
	switch {
	case value != "" && file != "":
		return mistake(name, "", "set together with "+name+"_FILE; give one of the two")
	case value != "":
		*s = Secret{value: value, source: name}
	case file != "":
		*s = Secret{file: file, source: name + "_FILE"}
	default:
		if value, _ = lookup(fallback); value != "" {
			*s = Secret{value: value, source: fallback}
		}
	}
	if strings.ContainsAny(strings.TrimSpace(s.value), "\r\n\x00") {
		source := s.source
		*s = Secret{}
		return mistake(source, "", "holds more than one line; give the key alone")
	}
	return nil
}

// Present tells whether the secret is configured. A file may still turn out to be missing when it is read.
func (s Secret) Present() bool { return s.source != "" }

// Source names the variable the secret comes from, or "".
func (s Secret) Source() string { return s.source }

// Read gives the secret, without spaces around it. An unset secret is "" without an error. The error, a fault.Denied,
// names the variable and never the value.
func (s Secret) Read() (string, error) {
	if s.file == "" {
		return strings.TrimSpace(s.value), nil
	}
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

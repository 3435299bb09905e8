package config

import (
	"cmp"
	_ "embed"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/nearest"
)

//go:embed help.txt
var helpText string

// help maps the names of variables to what they are for.
var help = sync.OnceValue(func() map[string]string {
	texts, name := map[string]string{}, ""
	for line := range strings.Lines(helpText) {
		text := strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, " "):
			name = text
		case texts[name] == "":
			texts[name] = text
		default:
			texts[name] += " " + text
		}
	}
	return texts
})

// Where a value comes from.
const (
	OriginDefault     = "default"
	OriginEnvironment = "environment"
)

// Variable is one environment variable as people see it.
type Variable struct {
	Name    string `json:"name"`
	Value   string `json:"value"` // secrets are hidden
	Default string `json:"default,omitempty"`
	Origin  string `json:"origin"` // default, environment, or the name of the fallback variable
	Help    string `json:"help"`

	unread bool // set, but its value can't be decoded
}

// Describe lists every variable in the order of the documentation. Secrets are hidden.
func (c Config) Describe() []Variable { return slices.Clone(c.variables) }

// Variables lists every variable with its default and purpose, without an environment.
func Variables() []Variable {
	var c Config
	c.decode(func(string) (string, bool) { return "", false })
	return c.variables
}

// Unknown returns the variables that begin with LONGSHIFT_ and do not exist, each with the name that was probably meant, or "". environ
// is a list of NAME=value.
func Unknown(environ []string) map[string]string {
	var known []string
	for _, v := range Variables() {
		known = append(known, v.Name)
	}
	unknown := map[string]string{}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "LONGSHIFT_") && !slices.Contains(known, name) {
			unknown[name] = nearest.Name(name, known)
		}
	}
	return unknown
}

// describe describes the variable of a field. origin is the variable that is set, ours or a fallback, or "".
func describe(tag reflect.StructTag, field reflect.Value, origin string, unread bool) Variable {
	v := Variable{Name: tag.Get("envconfig"), Value: show(field), Default: cmp.Or(tag.Get("shown"), tag.Get("default")), unread: unread}
	v.Help = help()[v.Name]
	if v.Origin = cmp.Or(origin, OriginDefault); origin == v.Name {
		v.Origin = OriginEnvironment
	}
	return v
}

// variables describes the variables of a secret: NAME, NAME_FILE and NAME_FD.
func (s Secret) variables(tag reflect.StructTag) []Variable {
	name, fallbacks := tag.Get("envconfig"), fallbacks(tag)
	key := Variable{Name: name, Origin: OriginDefault, Help: help()[name]}
	if len(fallbacks) > 0 {
		key.Default = "$" + strings.Join(fallbacks, " or $")
	}
	file := Variable{Name: name + "_FILE", Origin: OriginDefault, Help: "file that holds it; read at every use"}
	fd := Variable{Name: name + "_FD", Origin: OriginDefault,
		Help: "inherited file descriptor that holds it; read once at the start (number, 3 or more)"}
	switch s.source {
	case "":
	case name:
		key.Value, key.Origin = hidden, OriginEnvironment
	case name + "_FILE":
		file.Value, file.Origin = s.file, OriginEnvironment
	case name + "_FD":
		fd.Value, fd.Origin = hidden, OriginEnvironment
	default:
		key.Value, key.Origin = hidden, s.source
	}
	return []Variable{key, file, fd}
}

// show formats a field as one would write it into the variable.
func show(field reflect.Value) string {
	switch v := field.Interface().(type) {
	case []string:
		return strings.Join(v, ",")
	case time.Duration:
		return v.String()
	default:
		return strings.TrimSpace(fmt.Sprint(v))
	}
}

// setValue corrects the described value of a variable that Load has changed after decoding.
func (c *Config) setValue(name, value string) {
	for i := range c.variables {
		if c.variables[i].Name == name {
			c.variables[i].Value = value
		}
	}
}

// unset describes a variable as one that is not set.
func (c *Config) unset(name string) {
	for i := range c.variables {
		if c.variables[i].Name == name {
			c.variables[i].Value, c.variables[i].Origin = "", OriginDefault
		}
	}
}

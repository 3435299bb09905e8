// Package config is the configuration of a Longshift process: LONGSHIFT_* environment variables, a settings file that stands in for them,
// and the operator's limits. It reads only the environment that it is given; a secret kept in a file is read when it is used. Of
// tasks, repositories and Temporal it may know nothing but the variables that concern them.
package config

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Config is one process's configuration, in groups. The tags hold what Describe and the documentation show: the variable's name and
// its default; help.txt says what it is for. The documentation lists the variables in the order of the fields.
type Config struct {
	Data string `envconfig:"LONGSHIFT_DATA" shown:"$XDG_DATA_HOME/longshift or ~/.local/share/longshift"`
	Role Role   `envconfig:"LONGSHIFT_ROLE" default:"all"`

	Host     Host
	Limits   Limits
	Commands Commands
	Tasks    Tasks
	Sandbox  Sandbox
	Keep     Keep
	Model    Model
	GitHub   GitHub
	Linear   Linear
	Channels Channels
	Listen   Listen

	WebURL string `envconfig:"LONGSHIFT_WEB_URL" default:"http://localhost:8233"`
	Author Author

	Scenario string     `envconfig:"LONGSHIFT_SCENARIO"`
	Log      slog.Level `envconfig:"LONGSHIFT_LOG" default:"info"`
	Dev      Dev

	variables []Variable
	grants    []Grant
}

// NoWeb is the value of LONGSHIFT_WEB_URL that leaves out the links to Temporal Web.
const NoWeb = "none"

// Lookup returns the value of an environment variable, and whether it is set. os.LookupEnv is one.
type Lookup func(name string) (string, bool)

// Load reads the configuration. The error, a fault.Input, has one line for every mistake.
func Load(lookup Lookup) (Config, error) {
	var c Config
	mistakes := c.decode(lookup)
	if c.Data == "" {
		c.Data, mistakes = defaultData(lookup, mistakes)
	}
	c.Data = filepath.Clean(c.Data)
	c.Listen.defaultHealth()
	if c.WebURL == NoWeb {
		c.WebURL = ""
	}
	mistakes = append(mistakes, c.validate()...)
	mistakes = append(mistakes, c.loadGrants(lookup)...)
	if len(mistakes) == 0 {
		c.setValue("LONGSHIFT_DATA", c.Data)
		c.setValue("LONGSHIFT_HEALTH", c.Listen.Health)
		return c, nil
	}
	where := located(mistakes, lookup)
	err := errors.Join(mistakes...)
	if len(mistakes) == 1 {
		return Config{}, fault.New(fault.Input, "%w", err)
	}
	return Config{}, fault.New(fault.Input, "%d mistakes in %s:\n%w", len(mistakes), where, err)
}

func defaultData(lookup Lookup, mistakes []error) (string, []error) {
	if xdg, _ := lookup("XDG_DATA_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "longshift"), mistakes
	}
	if home, _ := lookup("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "share", "longshift"), mistakes
	}
	return "", append(mistakes, mistake("LONGSHIFT_DATA", "", "not set, and there is no home folder; give an absolute path"))
}

// tidy trims the items of a list, and removes empty and repeated ones.
func tidy(list []string) []string {
	var out []string
	for _, item := range list {
		if item = strings.TrimSpace(item); item != "" && !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Overrides is a task's configuration as an open JSON object: file first, then key=value, then flags of their own.
type Overrides map[string]any

// ConfigFlags are the flags that take any key of a task's configuration.
type ConfigFlags struct {
	pairs []string
	file  string
}

// Define adds the flags. whose says whose configuration they set.
func (c *ConfigFlags) Define(f *pflag.FlagSet, whose string) {
	f.StringArrayVarP(&c.pairs, "config", "c", nil, "configuration of "+whose+", `key=value`; repeatable")
	f.StringVar(&c.file, "config-file", "", "configuration of "+whose+", a JSON or YAML `file`")
}

// Given tells whether any was given.
func (c *ConfigFlags) Given() bool { return len(c.pairs) > 0 || c.file != "" }

// ConfigReader reads the flags that take any key of a task's configuration.
type ConfigReader struct {
	env   environ.Environ
	parse func(file []byte) (*task.Config, error)
}

func NewConfigReader(env environ.Environ, parse func(file []byte) (*task.Config, error)) ConfigReader {
	return ConfigReader{env, parse}
}

// Overrides merges the file and the pairs; the pairs win.
func (r ConfigReader) Overrides(f ConfigFlags) (Overrides, error) {
	values := Overrides{}
	if f.file != "" {
		var err error
		if values, err = r.fromFile(f.file); err != nil {
			return nil, err
		}
	}
	for _, pair := range f.pairs {
		if err := values.set(pair); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// Read returns the configuration of the flags, nil for none.
func (r ConfigReader) Read(f ConfigFlags) (*task.Config, error) {
	values, err := r.Overrides(f)
	if err != nil {
		return nil, err
	}
	return r.config(values)
}

// config checks the overrides as a task's configuration; nil for none.
func (r ConfigReader) config(values Overrides) (*task.Config, error) {
	if len(values) == 0 {
		return nil, nil
	}
	encoded, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("encode configuration: %w", err)
	}
	return r.parse(encoded)
}

// fromFile reads --config-file: JSON or YAML, checked strictly.
func (r ConfigReader) fromFile(name string) (Overrides, error) {
	content, err := os.ReadFile(r.env.Resolve(name))
	if err != nil {
		return nil, FileError("--config-file", name, err)
	}
	c, err := r.parse(content)
	if err != nil {
		return nil, fmt.Errorf("--config-file %s: %w", name, err)
	}
	encoded, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode configuration: %w", err)
	}
	o := Overrides{}
	if err := json.Unmarshal(encoded, &o); err != nil {
		return nil, fmt.Errorf("decode configuration: %w", err)
	}
	return o, nil
}

func FileError(flag, name string, err error) error {
	if os.IsNotExist(err) {
		return fault.New(fault.NotFound, "%s %s: no such file", flag, name).WithHint("check the path")
	}
	return fault.New(fault.Input, "%s %s: %w", flag, name, err)
}

// set takes one --config key=value. The type of the key says how the value is read; whether it is a good one is for
// ParseInput to say, together with the rest.
func (o Overrides) set(pair string) error {
	name, text, ok := strings.Cut(pair, "=")
	if !ok || name == "" {
		return fault.New(fault.Input, "--config %q: must have the form key=value", pair).WithHint("for example --config budget.cost=5")
	}
	key, known := task.KeyOf(name)
	switch {
	case !known:
		return fault.New(fault.Input, "--config %s: unknown key", name).WithHint("%s", nearKeys(name, task.ConfigKeys()))
	case key.Type == task.MapKey && key.Path == name:
		return fault.New(fault.Input, "--config %s=%q: one at a time", name, text).WithHint("give --config %s.NAME=value", name)
	}
	value, err := ParseAs(key.Type, text)
	if err != nil {
		return fault.New(fault.Input, "--config %s=%q: %w", name, text, err).WithHint("%s", key.Way)
	}
	o.Put(name, value)
	return nil
}

// Put sets a dotted key.
func (o Overrides) Put(key string, value any) {
	at := o
	for {
		head, rest, deeper := strings.Cut(key, ".")
		if !deeper {
			at[key] = value
			return
		}
		inner, ok := at[head].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[head] = inner
		}
		at, key = inner, rest
	}
}

func ParseAs(kind task.KeyType, text string) (any, error) {
	switch kind {
	case task.WholeKey:
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, errors.New("not a whole number")
		}
		return n, nil
	case task.NumberKey:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, errors.New("not a number")
		}
		return f, nil
	case task.FlagKey:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, errors.New("neither true nor false")
		}
		return b, nil
	case task.ListKey:
		list := []string{}
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, item)
			}
		}
		return list, nil
	case task.TextKey, task.ChoiceKey, task.DurationKey, task.MapKey:
	}
	return text, nil
}

// nearKeys names the keys that end in what was given or begin with it, or all of them.
func nearKeys(given string, keys []task.ConfigKey) string {
	var near, all []string
	for _, k := range keys {
		all = append(all, k.Path)
		_, last, _ := strings.Cut(k.Path, ".")
		if strings.EqualFold(last, given) || strings.EqualFold(k.Path, given) || strings.HasPrefix(k.Path, given+".") {
			near = append(near, k.Path)
		}
	}
	if len(near) > 0 {
		return "did you mean " + strings.Join(near, " or ") + "?"
	}
	return "keys are " + strings.Join(all, ", ")
}

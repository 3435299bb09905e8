package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

// overrides is a task's configuration as an open JSON object: file first, then key=value, then flags of their own.
type overrides map[string]any

// fromFile reads --config-file: JSON or YAML, checked strictly.
func (p *program) fromFile(name string) (overrides, error) {
	content, err := os.ReadFile(p.resolve(name))
	if err != nil {
		return nil, fileError("--config-file", name, err)
	}
	c, err := p.wiring.ParseConfig(content)
	if err != nil {
		return nil, fmt.Errorf("--config-file %s: %w", name, err)
	}
	encoded, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("encode configuration: %w", err)
	}
	o := overrides{}
	if err := json.Unmarshal(encoded, &o); err != nil {
		return nil, fmt.Errorf("decode configuration: %w", err)
	}
	return o, nil
}

// parsed checks the overrides as a task's configuration.
func (p *program) parsed(o overrides) (*task.Config, error) {
	encoded, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("encode configuration: %w", err)
	}
	return p.wiring.ParseConfig(encoded)
}

// resolve makes a path of the command line absolute.
func (p *program) resolve(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.env.Dir, name)
}

func fileError(flag, name string, err error) error {
	if os.IsNotExist(err) {
		return fault.New(fault.NotFound, "%s %s: no such file", flag, name).WithHint("check the path")
	}
	return fault.New(fault.Input, "%s %s: %w", flag, name, err)
}

// set takes one --config key=value. The type of the key says how the value is read; whether it is a good one is for
// ParseInput to say, together with the rest.
func (o overrides) set(pair string) error {
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
	value, err := parseAs(key.Type, text)
	if err != nil {
		return fault.New(fault.Input, "--config %s=%q: %w", name, text, err).WithHint("%s", key.Way)
	}
	o.put(name, value)
	return nil
}

// put sets a dotted key.
func (o overrides) put(key string, value any) {
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

func parseAs(kind task.KeyType, text string) (any, error) {
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

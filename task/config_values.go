package task

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Validate checks the values that are set. The error lists all mistakes, each with the key, its value and a correction.
func (c Config) Validate() error {
	return asError(fault.Input, "", configMistakes(c, "", func(string) int { return 0 }))
}

// Lookup returns the value of a key by its path, and whether it is set: a string, int, float64, bool, []string or map[string]string. An
// entry of a map is a string.
func (c Config) Lookup(path string) (value any, set bool) {
	v := reflect.ValueOf(c)
	if k, _ := KeyOf(path); k.Type == MapKey && k.Path != path {
		all, _ := c.Lookup(k.Path)
		entries, _ := all.(map[string]string)
		value, set = entries[strings.TrimPrefix(path, k.Path+".")]
		return value, set
	}
	for name := range strings.SplitSeq(path, ".") {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return nil, false
			}
			v = v.Elem()
		}
		i := fieldIndex(v.Type(), name)
		if i < 0 {
			return nil, false
		}
		v = v.Field(i)
	}
	if v.IsNil() {
		return nil, false
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v.Interface(), true
}

// DecodeConfig decodes a configuration strictly. where names the source at the start of each error, such as ".longshift.yaml".
func DecodeConfig(l Literal, where string) (Config, error) {
	var c Config
	d := decoder{way: configWay("")}
	d.decode(l, &c)
	return c, asError(fault.Input, where, append(d.mistakes, configMistakes(c, "", d.lineOf)...))
}

// configWay returns hints for wrong types from the table of keys.
func configWay(prefix string) func(string) string {
	return func(field string) string {
		path, ours := strings.CutPrefix(field, prefix)
		if k, known := KeyOf(path); known && ours {
			return k.Way
		}
		return ""
	}
}

// KeyOf returns the key with a path, or the map key that has it as an entry: "env.TZ".
func KeyOf(path string) (ConfigKey, bool) {
	for _, k := range ConfigKeys() {
		if k.Path == path || k.Type == MapKey && strings.HasPrefix(path, k.Path+".") {
			return k, true
		}
	}
	return ConfigKey{}, false
}

func configMistakes(c Config, prefix string, line func(field string) int) (all []mistake) {
	for _, k := range ConfigKeys() {
		value, set := c.Lookup(k.Path)
		if !set {
			continue
		}
		field := prefix + k.Path
		if env, is := value.(map[string]string); is {
			all = append(all, k.envMistakes(env, field, line)...)
			continue
		}
		if what := k.check(value); what != "" {
			all = append(all, mistake{field: field, line: line(field), what: what, way: k.Way})
		}
	}
	return all
}

// check returns what is wrong with a value, "" for nothing.
func (k ConfigKey) check(value any) string {
	switch v := value.(type) {
	case string:
		return k.checkText(v)
	case int:
		return k.checkNumber(float64(v))
	case float64:
		return k.checkNumber(v)
	case []string:
		if len(v) > k.Items {
			return "has " + strconv.Itoa(len(v)) + " items, " + strconv.Itoa(k.Items) + " are allowed"
		}
		for i, item := range v {
			if what := k.checkText(item); what != "" {
				return "item " + strconv.Itoa(i+1) + " " + what
			}
		}
	}
	return ""
}

func (k ConfigKey) checkNumber(n float64) string {
	if n < k.Least || n > k.Most || k.Above && n == k.Least || n != n {
		return "is " + plain(n)
	}
	return ""
}

func (k ConfigKey) checkText(s string) string {
	switch k.Type {
	case ChoiceKey:
		if slices.Contains(k.Choices, s) {
			return ""
		}
		return "is " + quote(s)
	case DurationKey:
		d, err := time.ParseDuration(s)
		if err != nil || d.Seconds() < k.Least || d.Seconds() > k.Most {
			return "is " + quote(s)
		}
		return ""
	}
	if len(s) > k.Length {
		return "has " + strconv.Itoa(len(s)) + " bytes, " + strconv.Itoa(k.Length) + " are allowed"
	}
	if what := k.wrong(s); what != "" {
		return "is " + quote(s) + ", which " + what
	}
	return ""
}

// plain formats a number without an exponent.
func plain(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

package config

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/kelseyhightower/envconfig"
)

// decode fills the fields one by one and collects every mistake; envconfig alone would stop at the first.
func (c *Config) decode(lookup Lookup) []error {
	var mistakes []error
	for field, into := range c.fields() {
		name := field.Tag.Get("envconfig")
		if secret, ok := into.Addr().Interface().(*Secret); ok {
			secret.many = field.Tag.Get("lines") == "many"
			if err := secret.load(name, fallbacks(field.Tag), lookup); err != nil {
				mistakes = append(mistakes, err)
			}
			c.variables = append(c.variables, secret.variables(field.Tag)...)
			continue
		}
		origin, value := firstSet(lookup, append([]string{name}, fallbacks(field.Tag)...))
		err := decodeField(field, into, value)
		if err != nil {
			mistakes = append(mistakes, mistake(origin, value, wayOut(into)))
		}
		c.variables = append(c.variables, describe(field.Tag, into, origin, err != nil))
	}
	return mistakes
}

// fields iterates over the fields that have a variable, including those of groups, in the order of the documentation.
func (c *Config) fields() iter.Seq2[reflect.StructField, reflect.Value] {
	return func(yield func(reflect.StructField, reflect.Value) bool) {
		eachField(reflect.ValueOf(c).Elem(), yield)
	}
}

func eachField(group reflect.Value, yield func(reflect.StructField, reflect.Value) bool) bool {
	for i := range group.NumField() {
		field := group.Type().Field(i)
		switch {
		case !field.IsExported():
			continue
		case field.Tag.Get("envconfig") == "":
			if !eachField(group.Field(i), yield) {
				return false
			}
		case !yield(field, group.Field(i)):
			return false
		}
	}
	return true
}

// fallbacks are the variables of other programs that are used when ours is not set, in order of precedence.
func fallbacks(tag reflect.StructTag) []string {
	if list := tag.Get("fallback"); list != "" {
		return strings.Split(list, ",")
	}
	return nil
}

// firstSet returns the first variable that is set to something, with its value; or "".
func firstSet(lookup Lookup, names []string) (name, value string) {
	for _, name := range names {
		if value, _ := lookup(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// decodeField has envconfig decode one field. envconfig reads only the environment of the process, so the value is passed as the
// default of a variable that can't exist, because its name is "=".
func decodeField(field reflect.StructField, into reflect.Value, value string) error {
	value = cmp.Or(value, field.Tag.Get("default"))
	tag := fmt.Sprintf(`envconfig:"=" default:%s`, strconv.Quote(value))
	one := reflect.New(reflect.StructOf([]reflect.StructField{{Name: field.Name, Type: field.Type, Tag: reflect.StructTag(tag)}}))
	if err := envconfig.Process("", one.Interface()); err != nil {
		return err
	}
	if v, ok := one.Elem().Field(0).Interface().(float64); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
		return errors.New("not an amount of money") // but a number to strconv
	}
	into.Set(one.Elem().Field(0))
	return nil
}

// wayOut says what values a field of this type accepts.
func wayOut(field reflect.Value) string {
	switch field.Type().String() {
	case "time.Duration":
		return "not a duration; give a number with a unit, such as 30s, 20m or 2h"
	case "int", "int64":
		return "not a whole number; give digits, such as 2"
	case "float64":
		return "not a number; give US dollars, such as 5 or 2.50"
	case "slog.Level":
		return "not a log level; give debug, info, warn or error"
	}
	return "can't be read as " + field.Type().String()
}

// wrongValue is a mistake in the value of a variable.
type wrongValue struct{ name, value, what string }

// mistake says what is wrong with a variable, and the way out.
func mistake(name, value, what string) error { return &wrongValue{name, value, what} }

func (w *wrongValue) Error() string {
	if w.value == "" {
		return w.name + ": " + w.what
	}
	return fmt.Sprintf("%s=%q: %s", w.name, w.value, w.what)
}

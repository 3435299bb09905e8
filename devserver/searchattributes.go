package devserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/searchattribute/sadefs"
)

// ParseSearchAttribute reads one name and type, the type in any case: Text, Keyword, Int, Double, Bool,
// Datetime or KeywordList.
func ParseSearchAttribute(name, kind string) (enumspb.IndexedValueType, error) {
	if strings.TrimSpace(name) != name || name == "" {
		return 0, fmt.Errorf("--search-attribute %s=%s: the name must not be empty or have spaces around it", name, kind)
	}
	if sadefs.IsReserved(name) {
		return 0, fmt.Errorf("--search-attribute %s=%s: the server keeps this name for itself; choose another", name, kind)
	}
	var known []string
	for shorthand, value := range enumspb.IndexedValueType_shorthandValue {
		if value == int32(enumspb.INDEXED_VALUE_TYPE_UNSPECIFIED) {
			continue
		}
		if strings.EqualFold(shorthand, kind) {
			return enumspb.IndexedValueType(value), nil
		}
		known = append(known, shorthand)
	}
	slices.Sort(known)
	return 0, fmt.Errorf("--search-attribute %s=%s: unknown type %q; use one of %s", name, kind, kind, strings.Join(known, ", "))
}

// addSearchAttributes gives each wanted attribute a free column of its type. fields maps columns to
// the names users see; what is there already stays where it is.
func addSearchAttributes(fields map[string]string, wanted map[string]enumspb.IndexedValueType, namespace string) error {
	columns := sadefs.GetDBIndexSearchAttributes(nil).CustomSearchAttributes
	types := map[string]enumspb.IndexedValueType{}
	for column, name := range fields {
		types[name] = columns[column]
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		kind := wanted[name]
		if has, ok := types[name]; ok {
			if has != kind {
				return fmt.Errorf("--search-attribute %s=%s: namespace %q has it as %s; use that type or another name", name, kind, namespace, has)
			}
			continue
		}
		column, total := freeColumn(columns, fields, kind)
		if column == "" {
			return fmt.Errorf("--search-attribute %s=%s: namespace %q has all of its %d %s attributes in use", name, kind, namespace, total, kind)
		}
		fields[column] = name
	}
	return nil
}

func freeColumn(
	columns map[string]enumspb.IndexedValueType, fields map[string]string, kind enumspb.IndexedValueType,
) (free string, total int) {
	for _, column := range slices.Sorted(maps.Keys(columns)) {
		if columns[column] != kind {
			continue
		}
		total++
		if _, used := fields[column]; !used && free == "" {
			free = column
		}
	}
	return free, total
}

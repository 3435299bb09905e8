package grammar

import (
	"fmt"
	"sort"
	"strings"
	"sync"
)

// takes is whether an option has a value.
type takes int

const (
	nothing takes = iota
	maybe         // only in the same word
	value         // in the same word or the next
	rest          // a prefix: what follows it in the word is the value
)

// option is one entry of Spec.Opts, compiled.
type option struct {
	names   []string
	takes   takes
	kind    Kind
	values  []string // the only values there are; nil when the kind says it
	refused Class    // Ask or Deny, or ""
}

// options are the compiled entries of a table.
type options struct {
	exact    map[string]*option
	prefixes []prefixed // longest first
	number   bool       // -10 is known
	sharp    bool       // some option is refused, or runs or loads something
	paths    bool       // some option takes a path, an address, or anything that is not plain data
}

type prefixed struct {
	prefix string
	*option
}

var kinds = map[Kind]bool{
	Data: true, Number: true, Name: true, Rev: true, Package: true, Read: true, List: true, Write: true, Remove: true,
	Code: true, Dir: true, Command: true, Shell: true, Inline: true, Assign: true, Local: true, Never: true,
}

// compiled caches compiled Spec.Opts, because Whole functions parse parts of a line by their own tables each time. The keys are
// texts of tables, never of commands, so they are few.
var compiled sync.Map

type optionText struct {
	text  string
	style Style
}

// compileOptions reads Spec.Opts.
func compileOptions(text string, style Style) (*options, error) {
	if have, ok := compiled.Load(optionText{text, style}); ok {
		return have.(*options), nil
	}
	all, err := readOptions(text, style)
	if err == nil {
		compiled.Store(optionText{text, style}, all)
	}
	return all, err
}

func readOptions(text string, style Style) (*options, error) {
	all := &options{exact: map[string]*option{}}
	for _, entry := range strings.Fields(text) {
		if entry == "-#" {
			all.number = true
			continue
		}
		if err := all.add(entry, style); err != nil {
			return nil, fmt.Errorf("option entry %q: %w", entry, err)
		}
	}
	sort.SliceStable(all.prefixes, func(i, j int) bool { return len(all.prefixes[i].prefix) > len(all.prefixes[j].prefix) })
	return all, nil
}

func (all *options) add(entry string, style Style) error {
	opt := &option{}
	switch entry[0] {
	case '!':
		opt.refused, entry = Deny, entry[1:]
	case '~':
		opt.refused, entry = Ask, entry[1:]
	}
	names, val, hasValue := strings.Cut(entry, "=")
	if optional := strings.TrimSuffix(names, "?"); optional != names {
		if !hasValue {
			return fmt.Errorf("has ? but no =kind")
		}
		names, opt.takes = optional, maybe
	} else if hasValue {
		opt.takes = value
	}
	if hasValue {
		if strings.Contains(val, "|") {
			opt.kind, opt.values = Data, strings.FieldsFunc(val, func(r rune) bool { return r == '|' })
		} else if opt.kind = Kind(val); !kinds[opt.kind] {
			return fmt.Errorf("%q is no kind", val)
		}
	}
	for _, name := range strings.Split(names, ",") {
		if err := all.name(opt, name, style); err != nil {
			return err
		}
	}
	all.weigh(opt)
	return nil
}

// name adds the option under one of its names.
func (all *options) name(opt *option, name string, style Style) error {
	if len(name) < 2 || (name[0] != '-' && name[0] != '+') || name == "--" || strings.ContainsAny(name, "!~?=|") {
		return fmt.Errorf("%q is no option name", name)
	}
	opt.names = append(opt.names, name)
	key := normal(name, style)
	if prefix := strings.TrimSuffix(key, "*"); prefix != key {
		if opt.takes == value || opt.takes == maybe {
			opt.takes = rest
		}
		if prefix == "-" || prefix == "--" || prefix == "" {
			return fmt.Errorf("%q would match every option", name)
		}
		all.prefixes = append(all.prefixes, prefixed{prefix, opt})
		return nil
	}
	if _, twice := all.exact[key]; twice {
		return fmt.Errorf("%q is there twice", name)
	}
	all.exact[key] = opt
	return nil
}

// weigh records what a word could do if it is this option.
func (all *options) weigh(opt *option) {
	if opt.refused == Deny {
		all.sharp, all.paths = true, true
		return
	}
	if opt.refused == Ask {
		all.paths = true
	}
	if opt.takes == nothing || opt.values != nil {
		return
	}
	switch opt.kind {
	case Data, Number, Name, Rev:
	case Code, Command, Shell, Inline, Assign, Remove, Never:
		all.sharp, all.paths = true, true
	default:
		all.paths = true
	}
}

// normal returns the spelling under which a name is stored: styles whose long options have one dash accept two as well.
func normal(name string, style Style) string {
	if (style == GoFlag || style == Single) && strings.HasPrefix(name, "--") && len(name) > 2 {
		return name[1:]
	}
	return name
}

// prefix finds the longest prefix entry that begins the word and is at least min bytes long.
func (all *options) prefix(text string, min int) (prefixed, bool) {
	for _, p := range all.prefixes {
		if len(p.prefix) >= min && strings.HasPrefix(text, p.prefix) && (p.takes != rest || len(text) > len(p.prefix)) {
			return p, true
		}
	}
	return prefixed{}, false
}

// meant returns the long options that an abbreviation might stand for, refused ones first.
func (all *options) meant(short string) []*option {
	if !strings.HasPrefix(short, "--") || len(short) < 3 {
		return nil
	}
	var found []*option
	for name, opt := range all.exact {
		if strings.HasPrefix(name, short) {
			found = append(found, opt)
		}
	}
	sort.Slice(found, func(i, j int) bool {
		if (found[i].refused == Deny) != (found[j].refused == Deny) {
			return found[i].refused == Deny
		}
		return found[i].names[len(found[i].names)-1] < found[j].names[len(found[j].names)-1]
	})
	return found
}

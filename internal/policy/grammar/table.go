package grammar

import (
	"errors"
	"fmt"
	"strings"
)

// count is how often an operand may occur.
type count int

const (
	once count = iota
	optional
	any0 // any number
	any1 // at least one
)

// operand is one entry of Spec.Args, compiled.
type operand struct {
	kind  Kind
	count count
}

// Table is a compiled Program. It is safe for use from many goroutines.
type Table struct {
	Program Program
	root    *table
}

// table is a compiled Spec.
type table struct {
	spec    *Spec
	opts    *options
	args    []operand
	command int // index in args of the Command entry, or -1
	subs    map[string]*table
	other   *table // Spec.SubElse
}

// Compile makes a table of a program. An error names the program, the sub-command and the entry that is malformed.
func Compile(p Program) (*Table, error) {
	if len(p.Names) == 0 {
		return nil, errors.New("a program without a name")
	}
	for _, n := range p.Names {
		if n == "" || strings.ContainsAny(n, " \t\n*?") {
			return nil, fmt.Errorf("program %q: not a name", n)
		}
	}
	t := &Table{Program: p}
	root, err := compile(&t.Program.Spec, true)
	if err != nil {
		return nil, fmt.Errorf("program %s: %w", p.Names[0], err)
	}
	t.root = root
	return t, nil
}

func compile(s *Spec, top bool) (*table, error) {
	t := &table{spec: s, command: -1}
	switch s.Class {
	case Inspect, Change, Run, Install:
	case Ask, Deny:
		if s.Why == "" {
			return nil, fmt.Errorf("class %s needs a Why", s.Class)
		}
	case "":
		if top && len(s.Subs) == 0 && s.Whole == nil && s.Judge == nil {
			return nil, errors.New("no class")
		}
	default:
		return nil, fmt.Errorf("%q is no class", s.Class)
	}
	switch s.Style {
	case GNU, Posix, GoFlag, Single, Bare:
	default:
		return nil, fmt.Errorf("%q is no style", s.Style)
	}
	var err error
	if t.opts, err = compileOptions(s.Opts, s.Style); err != nil {
		return nil, err
	}
	if err := t.operands(s.Args); err != nil {
		return nil, err
	}
	return t, t.under(s)
}

// under compiles the sub-commands.
func (t *table) under(s *Spec) error {
	if s.SubElse != nil {
		inherited := inherit(*s.SubElse, s)
		other, err := compile(&inherited, false)
		if err != nil {
			return fmt.Errorf("other sub-commands: %w", err)
		}
		t.other = other
	}
	if len(s.Subs) == 0 {
		return nil
	}
	t.subs = make(map[string]*table, len(s.Subs))
	for name, sub := range s.Subs {
		if name == "" {
			return errors.New("a sub-command without a name; use SubElse")
		}
		inherited := inherit(sub, s)
		compiled, err := compile(&inherited, false)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		t.subs[name] = compiled
	}
	return nil
}

// inherit copies to a sub-command what it does not set itself.
func inherit(sub Spec, parent *Spec) Spec {
	if sub.Class == "" {
		sub.Class = parent.Class
	}
	if sub.Why == "" {
		sub.Why = parent.Why
	}
	if sub.Yields == "" {
		sub.Yields = parent.Yields
	}
	if len(parent.Needs) > 0 {
		sub.Needs = append(append([]Need(nil), parent.Needs...), sub.Needs...)
	}
	return sub
}

// operands reads Spec.Args.
func (t *table) operands(text string) error {
	stars := 0
	for i, entry := range strings.Fields(text) {
		o := operand{kind: Kind(strings.TrimRight(entry, "?*+"))}
		switch strings.TrimPrefix(entry, string(o.kind)) {
		case "":
		case "?":
			o.count = optional
		case "*":
			o.count, stars = any0, stars+1
		case "+":
			o.count, stars = any1, stars+1
		default:
			return fmt.Errorf("operand %q: more than one of ? * +", entry)
		}
		if !kinds[o.kind] {
			return fmt.Errorf("operand %q: no such kind", entry)
		}
		if o.kind == Command {
			t.command = i
			if o.count != once && o.count != optional {
				o.count = optional // the command swallows the rest anyway
				stars--
			}
		} else if t.command >= 0 {
			return fmt.Errorf("operand %q: nothing can follow a command", entry)
		}
		t.args = append(t.args, o)
	}
	for i := 0; i < t.command; i++ {
		if o := t.args[i]; o.count != once && o.kind != Assign {
			return errors.New("operands before a command must be required ones, or assign*")
		}
	}
	if stars > 1 && t.command < 0 {
		return errors.New("more than one operand with * or +")
	}
	return nil
}

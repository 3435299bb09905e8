package policy

import (
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// compiledTables returns all tables, which are compiled once for each mode and never change.
func compiledTables(boxed bool) ([]*grammar.Table, error) {
	if boxed {
		return boxedTables()
	}
	return bareTables()
}

var (
	bareTables  = sync.OnceValues(func() ([]*grammar.Table, error) { return compileTables(allPrograms(false)) })
	boxedTables = sync.OnceValues(func() ([]*grammar.Table, error) { return compileTables(allPrograms(true)) })
)

func compileTables(programs []grammar.Program) ([]*grammar.Table, error) {
	all := make([]*grammar.Table, 0, len(programs))
	for _, p := range programs {
		t, err := grammar.Compile(p)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// fallbacks are builtins of bash, in case no other table names them.
func fallbacks() []grammar.Program {
	simple := func(args string, style grammar.Style, names ...string) grammar.Program {
		return grammar.Program{Names: names, Spec: grammar.Spec{Class: grammar.Inspect, Args: args, Style: style}}
	}
	printf := simple("data*", grammar.Posix, "printf")
	printf.Opts = "!-v=name"
	printf.Why = "it assigns to a variable by name; use x=$(printf ...)"
	pwd := simple("", grammar.GNU, "pwd")
	pwd.Opts = "-L -P"
	return []grammar.Program{
		simple("data*", grammar.Bare, "echo"), simple("data*", grammar.Bare, "true"), simple("data*", grammar.Bare, "false"),
		simple("data*", grammar.Bare, ":"), printf, pwd,
		{Names: []string{"type"}, Spec: grammar.Spec{Class: grammar.Inspect, Opts: "-a -f -t -p -P", Args: "name*"}},
	}
}

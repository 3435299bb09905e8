package policy

import (
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

var (
	tablesOnce sync.Once
	tablesAll  []*grammar.Table
	tablesErr  error
)

// compiledTables compiles all tables, once for the process. They never change.
func compiledTables() ([]*grammar.Table, error) {
	tablesOnce.Do(func() {
		for _, p := range allPrograms() {
			t, err := grammar.Compile(p)
			if err != nil {
				tablesErr = err
				return
			}
			tablesAll = append(tablesAll, t)
		}
	})
	return tablesAll, tablesErr
}

// fallbacks are the programs that bash itself has, in case no other table names them.
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

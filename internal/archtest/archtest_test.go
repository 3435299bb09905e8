package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/longshift/longshift"

// parts are what the members of a family share beside its root. They are no leaves: nothing in the world stands behind them.
var parts = []string{"agent/prompt", "agent/marker", "agent/reporting", "agent/loop", "agent/program", "agent/jsonrpc", "agent/acp", "agent/tools", "agent/transcript", "intake/workfile", "intake/dirwatch"}

// family gives the family's root when the import is a leaf of one.
func family(path string) (root string, isLeaf bool) {
	if slices.Contains(parts, strings.TrimPrefix(path, module+"/internal/")) {
		return "", false
	}
	for _, root := range []string{"agent", "forge", "channel", "intake"} {
		if strings.HasPrefix(path, module+"/internal/"+root+"/") {
			return module + "/internal/" + root, true
		}
	}
	return "", false
}

// isTestSupport names packages that only tests import.
func isTestSupport(path string) bool {
	return strings.HasSuffix(path, "test") || strings.Contains(path, "/test/") || path == module+"/internal/sourcetree"
}

func ours(path string) bool     { return path == module || strings.HasPrefix(path, module+"/") }
func standard(path string) bool { return !strings.Contains(strings.Split(path, "/")[0], ".") }

// rule forbids an import, with the reason that the failure shows.
type rule struct {
	of     func(importer string) bool
	allows func(importer, imported string) bool
	why    string
}

func exactly(names ...string) func(string) bool {
	return func(path string) bool {
		for _, n := range names {
			if path == module+"/"+n {
				return true
			}
		}
		return false
	}
}

func anyOf(names ...string) func(string, string) bool {
	return func(_, imported string) bool {
		for _, n := range names {
			if imported == module+"/"+n {
				return true
			}
		}
		return false
	}
}

// cliLayers are the packages below internal/cli from the bottom up. The last ones, cliPrograms, are programs of commands.
var (
	cliLayers   = append([]string{"term", "environ", "child", "server", "repository", "command", "tasks"}, cliPrograms...)
	cliPrograms = []string{"watch", "dev", "setup"}
)

func inCLI(p string) bool {
	return p == module+"/internal/cli" || strings.HasPrefix(p, module+"/internal/cli/") && !isTestSupport(p)
}

// TestLayersOfCLI holds the list of layers to the packages that there are.
func TestLayersOfCLI(t *testing.T) {
	found := 0
	for _, p := range packages(t) {
		if inCLI(p.ImportPath) && p.ImportPath != module+"/internal/cli" {
			found++
			if !slices.Contains(cliLayers, path.Base(p.ImportPath)) {
				t.Errorf("%s is in no layer of the command line", p.ImportPath)
			}
		}
	}
	if found != len(cliLayers) {
		t.Errorf("%d packages are below internal/cli, and %d are listed", found, len(cliLayers))
	}
}

// narrow are packages whose comment says what they may know, and what they import of it beside the standard library.
var narrow = map[string][]string{
	"signals":                   {"task"},
	"internal/agent/marker":     {"task"},
	"internal/agent/prompt":     {"task", "internal/fault", "internal/excerpt"},
	"internal/agent/tools":      {"internal/excerpt", "github.com/yuin/goldmark"},
	"internal/agent/transcript": {"task", "internal/atomicfile"},
	"internal/neutral":          {"internal/excerpt", "internal/plaintext"},
	"internal/repo/lfs":         {"internal/fault", "internal/httpclient", "golang.org/x/net/http/httpproxy"},
	"internal/repo/sensitive":   {"task", "internal/excerpt"},
	"internal/variable":         {},
}

var rules = []rule{
	{
		of:     exactly("internal/fault", "internal/excerpt", "internal/clock", "internal/nearest", "internal/atomicfile", "internal/filelock"),
		allows: func(_, i string) bool { return standard(i) },
		why:    "fault, excerpt, clock, nearest, atomicfile and filelock are imported by everything, so they may import nothing but the standard library",
	}, {
		of:     exactly("internal/processenv"),
		allows: func(_, i string) bool { return standard(i) },
		why:    "whatever else it imports may be initialized after the package that asks net/http for the proxy too early",
	}, {
		of: exactly("task"),
		allows: func(_, i string) bool {
			return standard(i) || anyOf("internal/fault", "internal/excerpt", "internal/nearest", "internal/variable")("", i)
		},
		why: "task is a part of the contract with the outside: any client must be able to import it without our dependencies",
	}, {
		of: func(p string) bool { return narrow[strings.TrimPrefix(p, module+"/")] != nil },
		allows: func(importer, i string) bool {
			return standard(i) || slices.ContainsFunc(narrow[strings.TrimPrefix(importer, module+"/")], func(name string) bool {
				return i == module+"/"+name || i == name || strings.HasPrefix(i, name+"/")
			})
		},
		why: "the comment of the package says what it may know: when there is a good reason for more, change both. signals is for any client, as task is",
	}, {
		of: exactly("examples/client"),
		allows: func(_, i string) bool {
			return standard(i) || strings.HasPrefix(i, "go.temporal.io/sdk/") || anyOf("task", "signals")("", i)
		},
		why: "the example of a client is for programs outside of this module, which can import nothing internal",
	}, {
		of:     exactly("internal/repo/git"),
		allows: func(_, i string) bool { return standard(i) || i == module+"/internal/confine/process" },
		why:    "forges, intakes, the command line and workspaces all run git, so git knows none of them",
	}, {
		of: exactly("workflows"),
		allows: func(_, i string) bool {
			if !ours(i) {
				return standard(i) || strings.HasPrefix(i, "go.temporal.io/") || i == "github.com/google/uuid"
			}
			return anyOf("activities", "signals", "task", "internal/fault", "internal/excerpt", "internal/agent",
				"internal/forge", "internal/intake", "internal/agent/prompt")("", i)
		},
		why: "workflow code is deterministic: it knows activities by name and shares only data types with them",
	}, {
		of: func(p string) bool {
			return ours(p) && !exactly("internal/app", "workflows")(p) && !isTestSupport(p)
		},
		allows: func(_, i string) bool { return i != module+"/activities" },
		why:    "workflows know activities by name, and app registers them: nothing else can call a step",
	}, {
		of:     exactly("activities"),
		allows: func(_, i string) bool { _, leaf := family(i); return !leaf },
		why:    "activities use family roots, so that a driver can be replaced without touching a step",
	}, {
		of: exactly("internal/inbound/command", "internal/inbound/render"),
		allows: func(_, i string) bool {
			return standard(i) || anyOf("internal/fault", "internal/excerpt", "task", "signals", "internal/inbound/render")("", i)
		},
		why: "the grammar of commands and the texts of answers are pure: they need neither a server nor a chat",
	}, {
		of: inCLI,
		allows: func(_, i string) bool {
			_, leaf := family(i)
			return !leaf && i != module+"/activities" && i != module+"/workflows" && i != module+"/internal/app"
		},
		why: "the command line talks to a task through the contract in signals, like any other client",
	}, {
		of: func(p string) bool { return inCLI(p) && p != module+"/internal/cli" },
		allows: func(importer, i string) bool {
			return !inCLI(i) || isTestSupport(i) || slices.Index(cliLayers, path.Base(i)) < slices.Index(cliLayers, path.Base(importer)) &&
				!slices.Contains(cliPrograms, path.Base(i))
		},
		why: "parts of the command line import only what lies below them, and none imports a program of commands: each can be read without the rest",
	}, {
		of: func(p string) bool { _, leaf := family(p); return leaf && !isTestSupport(p) },
		allows: func(importer, i string) bool {
			root, leaf := family(i)
			own, _ := family(importer)
			return !leaf || root == own && strings.HasPrefix(i, importer+"/")
		},
		why: "a leaf imports its root and never another leaf",
	}, {
		of: func(p string) bool {
			return ours(p) && p != module+"/internal/app" && !isTestSupport(p) && !strings.HasPrefix(p, module+"/test/")
		},
		allows: func(importer, i string) bool {
			if i == module+"/internal/app" {
				return importer == module+"/worker" || importer == module+"/starter"
			}
			_, leaf := family(i)
			own, isLeaf := family(importer)
			root, _ := family(i)
			return !leaf || isLeaf && own == root
		},
		why: "app is the composition root and the only importer of leaves",
	}, {
		of: ours,
		allows: func(importer, i string) bool {
			return !ours(i) || !isTestSupport(i) || isTestSupport(importer) || strings.HasPrefix(importer, module+"/test/")
		},
		why: "what exists for tests must not be built into the programs",
	}, {
		of: ours,
		allows: func(_, i string) bool {
			return !strings.HasPrefix(i, module+"/devserver") && !strings.HasPrefix(i, "go.temporal.io/server")
		},
		why: "the server is a module of its own, so that the programs stay small",
	},
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		for _, r := range rules {
			if !r.of(p.ImportPath) {
				continue
			}
			for _, i := range p.Imports {
				if !r.allows(p.ImportPath, i) {
					t.Errorf("%s imports %s: %s", p.ImportPath, i, r.why)
				}
			}
		}
	}
}

// TestPackageComments holds every package to exactly one package comment, which begins with its name.
func TestPackageComments(t *testing.T) {
	for _, p := range packages(t) {
		var with []string
		for _, f := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, parser.ParseComments|parser.PackageClauseOnly)
			if err != nil {
				t.Fatal(err)
			}
			if hasText(parsed.Doc) {
				if begins := "Package " + p.Name + " "; p.Name != "main" && !strings.HasPrefix(parsed.Doc.Text(), begins) {
					t.Errorf("%s: the comment does not begin with %q", p.ImportPath, begins)
				}
				with = append(with, f)
			}
		}
		if len(with) != 1 && len(p.GoFiles) > 0 {
			t.Errorf("%s has %d package comments, want one: %v", p.ImportPath, len(with), with)
		}
	}
}

func hasText(doc *ast.CommentGroup) bool { return doc != nil && strings.TrimSpace(doc.Text()) != "" }

// TestOneGit finds programs that start git past internal/repo/git, which takes away what a repository could have it run.
func TestOneGit(t *testing.T) {
	for _, p := range packages(t) {
		if isTestSupport(p.ImportPath) {
			continue
		}
		for _, f := range p.GoFiles {
			path := filepath.Join(p.Dir, f)
			parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if f, ok := call.Fun.(*ast.SelectorExpr); !ok || !strings.HasPrefix(f.Sel.Name, "Command") {
					return true
				}
				for _, arg := range call.Args {
					if lit, ok := arg.(*ast.BasicLit); ok && lit.Value == `"git"` {
						t.Errorf("%s starts git by itself: use internal/repo/git", path)
					}
				}
				return true
			})
		}
	}
}

// TestGoMod holds the root module to what `go install` of it needs.
func TestGoMod(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(strings.TrimSpace(line), "replace ") {
			t.Errorf("go.mod has %q: a module with a replace can't be installed by its path", strings.TrimSpace(line))
		}
	}
}

// vague are names that say nothing about what is inside.
var vague = []string{"utils", "util", "common", "helpers", "helper", "misc", "shared"}

func TestNames(t *testing.T) {
	for _, p := range packages(t) {
		base := p.ImportPath[strings.LastIndex(p.ImportPath, "/")+1:]
		for _, v := range vague {
			if base == v {
				t.Errorf("%s: a package is named after what it is for", p.ImportPath)
			}
			for _, f := range p.GoFiles {
				if f == v+".go" {
					t.Errorf("%s/%s: a file is named after what is in it", p.ImportPath, f)
				}
			}
		}
	}
}

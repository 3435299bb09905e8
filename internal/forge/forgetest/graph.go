package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
)

// EnvSchema names the file of GitHub's GraphQL schema.
const EnvSchema = "LONGSHIFT_OCTOKIT_GRAPHQL"

func findSchema() string {
	if path := os.Getenv(EnvSchema); path != "" {
		return path
	}
	return published("graphql-schema", "schema.graphql")
}

// loadSchema reads GitHub's GraphQL schema once per process, when it is asked for: it is a megabyte of text.
var loadSchema = sync.OnceValues(func() (*ast.Schema, error) {
	data, err := os.ReadFile(findSchema())
	if err != nil {
		return nil, err
	}
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: string(data)})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", findSchema(), err)
	}
	return schema, nil
})

// graph answers a query. It is held against GitHub's schema, and so is the answer; one that does not fit fails the test.
func (g *GitHub) graph(body []byte) answer {
	schema, err := loadSchema()
	if err != nil {
		g.t.Errorf("GitHub's GraphQL schema: %v; run npm ci in test/github, or set %s", err, EnvSchema)
		return refuse(http.StatusNotFound, "Not Found")
	}
	var in struct {
		Query     string
		Variables map[string]any
	}
	g.read(body, &in)
	doc, list := gqlparser.LoadQuery(schema, in.Query)
	if len(list) > 0 || len(doc.Operations) != 1 {
		g.t.Errorf("query does not fit GitHub's schema: %v\n%s", list, in.Query)
		return graphError("", "Parse error")
	}
	op := doc.Operations[0]
	vars, err := validator.VariableValues(schema, op, whole32(in.Variables))
	if err != nil {
		g.t.Errorf("variables do not fit the query: %v\n%s", err, body)
		return graphError("", "Variable error")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	a := graphAnswer{vars: vars}
	data := a.object(op.SelectionSet, g.graphRoot())
	if a.err != nil {
		g.t.Errorf("the server does not play this query: %v\n%s", a.err, in.Query)
	}
	if data["repository"] == nil || data["repository"].(map[string]any)["issue"] == nil {
		return graphError("NOT_FOUND", "Could not resolve to a node.")
	}
	return answer{status: http.StatusOK, body: map[string]any{"data": data}}
}

// whole32 makes whole numbers of those that JSON has given.
func whole32(vars map[string]any) map[string]any {
	for name, v := range vars {
		if f, ok := v.(float64); ok && f == float64(int(f)) {
			vars[name] = json.Number(strconv.Itoa(int(f)))
		}
	}
	return vars
}

func graphError(kind, message string) answer {
	e := map[string]any{"message": message}
	if kind != "" {
		e["type"] = kind
	}
	return answer{status: http.StatusOK, body: map[string]any{"data": map[string]any{"repository": nil}, "errors": []any{e}}}
}

// node is an object of the graph: its fields by name. A field that takes arguments is a func.
type node map[string]any

type field func(args map[string]any) any

// graphRoot is what a query can begin with; g.mu is held.
func (g *GitHub) graphRoot() node {
	return node{"repository": field(func(args map[string]any) any {
		repo := g.repo(fmt.Sprint(args["owner"], "/", args["name"]))
		if repo == nil {
			return nil
		}
		return node{"issue": field(func(args map[string]any) any {
			number, err := strconv.Atoi(fmt.Sprint(args["number"]))
			if i := repo.issue(number); err == nil && i != nil && !i.gone && i.moved == "" {
				return g.graphIssue(i)
			}
			return nil
		})}
	})}
}

func (g *GitHub) graphIssue(i *issue) node {
	n := node{"lastEditedAt": nil, "editor": nil}
	if last := len(i.edits) - 1; last >= 0 {
		n["lastEditedAt"], n["editor"] = stamp(i.edits[last].at), g.graphActor(i.edits[last].by)
	}
	n["userContentEdits"] = field(func(args map[string]any) any {
		edits := slices.Clone(i.edits)
		slices.Reverse(edits)
		size, _ := strconv.Atoi(fmt.Sprint(args["first"]))
		from, _ := strconv.Atoi(fmt.Sprint(args["after"]))
		from = min(from, len(edits))
		to := min(from+min(size, g.pageSize), len(edits))
		list := []node{}
		for _, e := range edits[from:to] {
			list = append(list, node{"editedAt": stamp(e.at), "editor": g.graphActor(e.by)})
		}
		return node{"nodes": list, "pageInfo": node{"hasNextPage": to < len(edits), "endCursor": strconv.Itoa(to)}}
	})
	return n
}

// graphActor is an account; the names of bots have no "[bot]" here.
func (g *GitHub) graphActor(login string) any {
	if login == "" {
		return nil
	}
	return node{"__typename": g.accountType(login), "login": strings.TrimSuffix(login, "[bot]")}
}

package tools

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

const (
	globBytes    = 500
	alternatives = 64 // of the braces of a pattern
)

// glob matches slash paths: * and ? and [a-z] within a name, ** for any number of folders, {a,b} for either. A pattern without a slash
// matches the name in every folder.
type glob [][]string

func parseGlob(pattern string) (glob, error) {
	if pattern == "" || len(pattern) > globBytes {
		return nil, fmt.Errorf(`the pattern has %d bytes; give 1 to %d, for example "src/**/*.go"`, len(pattern), globBytes)
	}
	all, ok := expand(strings.TrimLeft(strings.TrimPrefix(pattern, "./"), "/"))
	if !ok {
		return nil, fmt.Errorf("the pattern %q has braces for more than %d patterns; use fewer", excerpt.Line(pattern, 100), alternatives)
	}
	var g glob
	for _, one := range all {
		parts := globParts(one)
		if !strings.Contains(one, "/") {
			parts = append([]string{"**"}, parts...)
		}
		if !valid(parts) {
			return nil, fmt.Errorf("the pattern %q is no glob; write [ ] and \\ that belong to a name with a \\ before them", excerpt.Line(pattern, 100))
		}
		g = append(g, parts)
	}
	return g, nil
}

func (g glob) matches(name string) bool {
	names := strings.Split(name, "/")
	return slices.ContainsFunc(g, func(parts []string) bool { return matchParts(parts, names) })
}

// expand writes out the first braces, and then those behind them. Braces within braces are part of the name.
func expand(pattern string) (all []string, ok bool) {
	before, rest, found := strings.Cut(pattern, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !found || !closed {
		return []string{pattern}, true
	}
	tails, ok := expand(after)
	for choice := range strings.SplitSeq(inside, ",") {
		for _, tail := range tails {
			all = append(all, before+choice+tail)
		}
		if !ok || len(all) > alternatives {
			return nil, false
		}
	}
	return all, true
}

// globParts splits a pattern into one pattern for each name of a path.
func globParts(pattern string) []string {
	parts := strings.Split(strings.ReplaceAll(pattern, "[!", "[^"), "/")
	if parts[len(parts)-1] == "**" { // what is in the folder, not the folder itself
		parts = append(parts, "*")
	}
	return parts
}

func valid(parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool {
		_, err := path.Match(part, "")
		return err != nil
	})
}

// matchParts goes back to the last ** only, which is enough and keeps hostile patterns cheap.
func matchParts(parts, names []string) bool {
	p, star, starAt := 0, -1, 0
	for n := 0; n < len(names); {
		switch {
		case p < len(parts) && parts[p] == "**":
			star, starAt = p, n
			p++
			continue
		case p < len(parts):
			if ok, _ := path.Match(parts[p], names[n]); ok {
				p, n = p+1, n+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		starAt++
		p, n = star+1, starAt
	}
	for p < len(parts) && parts[p] == "**" {
		p++
	}
	return p == len(parts)
}

// Command fromsdk writes Linear's schema in SDL, out of the TypeScript declarations that Linear publishes with its SDK. Those are made
// from the schema by a generator, type by type and field by field; this undoes that. See ../SOURCE.md.
//
//	go run ./testdata/fromsdk < package/dist/index-….d.mts > schema.graphql
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
)

type field struct {
	name, typ, deprecated string
	doc                   []string
	optional              bool
}

type decl struct {
	name, deprecated string
	doc              []string
	kind             string // "type", "union", "enum"; inputs and interfaces are told apart at the end
	object           bool   // it has __typename
	parents          []string
	fields           []field
	values           []string
	members          []string
}

var (
	opens    = regexp.MustCompile(`^type (\w+) = ((?:\w+ & )*)\{$`)
	unites   = regexp.MustCompile(`^type (\w+) = (\w+(?: \| \w+)*);$`)
	enumed   = regexp.MustCompile(`^declare enum (\w+) \{$`)
	fielded  = regexp.MustCompile(`^  (\w+)(\??): (.*);$`)
	valued   = regexp.MustCompile(`^  \w+ = "(.*)",?$`)
	scalared = regexp.MustCompile(`^Scalars\["(\w+)"\]$`)
)

// renamed are the names that the generator spells in another way than the schema. Types of objects keep theirs in __typename.
var renamed = map[string]string{"IdComparator": "IDComparator"}

func main() {
	all, err := read(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	w := bufio.NewWriter(os.Stdout)
	write(w, all)
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
}

// read takes the declarations up to the first fragment; what follows is about the SDK's own queries.
func read(r io.Reader) ([]*decl, error) {
	var (
		all        []*decl
		now        *decl
		doc        []string
		deprecated string
		inDoc      bool
	)
	add := func(d *decl) {
		d.doc, d.deprecated, doc, deprecated = doc, deprecated, nil, ""
		all = append(all, d)
	}
	note := func(line string) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "@deprecated "); ok {
			deprecated = rest
		} else if line != "" {
			doc = append(doc, line)
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		line := lines.Text()
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "/**") && strings.HasSuffix(trimmed, "*/"):
			note(strings.TrimSuffix(strings.TrimPrefix(trimmed, "/**"), "*/"))
		case strings.HasPrefix(trimmed, "/**"):
			inDoc = true
		case inDoc && strings.HasPrefix(trimmed, "*/"):
			inDoc = false
		case inDoc:
			note(strings.TrimPrefix(trimmed, "*"))
		case line == "};" || line == "}":
			now = nil
		case now != nil && now.kind == "enum":
			if m := valued.FindStringSubmatch(line); m != nil {
				now.values = append(now.values, m[1])
			}
			doc, deprecated = nil, ""
		case now != nil:
			m := fielded.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("in %s: %q is no field", now.name, line)
			}
			if m[1] == "__typename" {
				now.object = true
				renamed[now.name] = strings.Trim(m[3], `"`)
			} else {
				now.fields = append(now.fields, field{name: m[1], typ: m[3], optional: m[2] != "", doc: doc, deprecated: deprecated})
			}
			doc, deprecated = nil, ""
		case opens.MatchString(line):
			m := opens.FindStringSubmatch(line)
			if strings.HasSuffix(m[1], "Fragment") {
				return all, nil
			}
			now = &decl{name: m[1], kind: "type"}
			for p := range strings.SplitSeq(m[2], " & ") {
				if p != "" {
					now.parents = append(now.parents, p)
				}
			}
			add(now)
		case enumed.MatchString(line):
			now = &decl{name: enumed.FindStringSubmatch(line)[1], kind: "enum"}
			add(now)
		case unites.MatchString(line):
			m := unites.FindStringSubmatch(line)
			if strings.HasSuffix(m[1], "Fragment") {
				return all, nil
			}
			add(&decl{name: m[1], kind: "union", members: strings.Split(m[2], " | ")})
		default:
			doc, deprecated = nil, ""
		}
	}
	return all, lines.Err()
}

func write(w io.Writer, all []*decl) {
	args, interfaces := map[string]*decl{}, map[string]bool{}
	for _, d := range all {
		if strings.HasSuffix(d.name, "Args") && !d.object {
			args[fold(d.name)] = d
		}
		for _, p := range d.parents {
			interfaces[p] = true
		}
	}
	used := map[string]bool{}
	for _, d := range all {
		if !d.object && !interfaces[d.name] {
			continue
		}
		for _, f := range d.fields {
			used[fold(d.name+f.name+"Args")] = true
		}
	}
	fmt.Fprint(w, "schema {\n  query: Query\n  mutation: Mutation\n}\n")
	for _, d := range all {
		switch {
		case d.name == "Scalars":
			scalars(w, d)
		case used[fold(d.name)] && args[fold(d.name)] == d:
		case d.kind == "enum":
			head(w, "", d.doc)
			fmt.Fprintf(w, "enum %s {\n  %s\n}\n", name(d.name), strings.Join(d.values, "\n  "))
		case d.kind == "union":
			head(w, "", d.doc)
			fmt.Fprintf(w, "union %s = %s\n", name(d.name), strings.Join(names(d.members), " | "))
		default:
			kind := "input"
			if d.object {
				kind = "type"
			} else if interfaces[d.name] {
				kind = "interface"
			}
			head(w, "", d.doc)
			fmt.Fprintf(w, "%s %s", kind, name(d.name))
			if len(d.parents) > 0 {
				fmt.Fprintf(w, " implements %s", strings.Join(names(d.parents), " & "))
			}
			fmt.Fprint(w, " {\n")
			for _, f := range d.fields {
				head(w, "  ", f.doc)
				fmt.Fprintf(w, "  %s", f.name)
				if a := args[fold(d.name+f.name+"Args")]; a != nil && kind != "input" {
					fmt.Fprint(w, "(\n")
					for _, p := range a.fields {
						head(w, "    ", p.doc)
						fmt.Fprintf(w, "    %s: %s%s\n", p.name, typ(p), gone(p.deprecated))
					}
					fmt.Fprint(w, "  )")
				}
				fmt.Fprintf(w, ": %s%s\n", typ(f), gone(f.deprecated))
			}
			fmt.Fprint(w, "}\n")
		}
	}
}

func scalars(w io.Writer, d *decl) {
	for _, f := range d.fields {
		if !slices.Contains([]string{"ID", "String", "Boolean", "Int", "Float"}, f.name) {
			head(w, "", f.doc)
			fmt.Fprintf(w, "scalar %s\n", f.name)
		}
	}
}

func head(w io.Writer, indent string, doc []string) {
	if indent == "" {
		fmt.Fprintln(w)
	}
	if len(doc) > 0 {
		text := strings.ReplaceAll(strings.Join(doc, "\n"+indent), `"""`, `\"""`)
		fmt.Fprintf(w, "%s\"\"\"\n%s%s\n%s\"\"\"\n", indent, indent, text, indent)
	}
}

func gone(why string) string {
	if why == "" {
		return ""
	}
	return fmt.Sprintf(" @deprecated(reason: %q)", why)
}

// typ gives a field's type in SDL: what is not Maybe is there for sure.
func typ(f field) string { return wrapped(f.typ) }

func wrapped(t string) string {
	for _, maybe := range []string{"Maybe<", "InputMaybe<"} {
		if inner, ok := strings.CutPrefix(t, maybe); ok {
			return strings.TrimSuffix(wrapped(strings.TrimSuffix(inner, ">")), "!")
		}
	}
	if inner, ok := strings.CutPrefix(t, "Array<"); ok {
		return "[" + wrapped(strings.TrimSuffix(inner, ">")) + "]!"
	}
	if m := scalared.FindStringSubmatch(t); m != nil {
		return m[1] + "!"
	}
	return name(t) + "!"
}

func name(n string) string {
	if r := renamed[n]; r != "" {
		return r
	}
	return n
}

func names(all []string) (out []string) {
	for _, n := range all {
		out = append(out, name(n))
	}
	return out
}

// fold makes the generator's spellings of one name alike.
func fold(n string) string { return strings.ToLower(strings.ReplaceAll(n, "_", "")) }

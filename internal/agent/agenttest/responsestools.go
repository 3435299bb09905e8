package agenttest

import "strings"

// responsesTool is a tool, or a namespace of tools. Those that the API itself runs have no name but their type.
type responsesTool struct {
	Type  string          `json:"type"`
	Name  string          `json:"name"`
	Tools []responsesTool `json:"tools"`
}

func (t responsesTool) offers() []offer {
	switch {
	case t.Type == "namespace":
		var all []offer
		for _, of := range t.Tools {
			all = append(all, offer{Name: t.Name + "__" + of.Name, Namespace: t.Name})
		}
		return all
	case t.Name == "":
		return []offer{{Name: t.Type}}
	}
	return []offer{{Name: t.Name}}
}

// offers are the tools that items offer beside those of the request.
func (l responsesItems) offers() []responsesTool {
	var all []responsesTool
	for _, it := range l {
		all = append(all, it.Tools...)
	}
	return all
}

// namespace is that of a tool, "" when it has none.
func (r *request) namespace(tool string) string {
	for _, o := range r.Tools {
		if o.Name == tool {
			return o.Namespace
		}
	}
	for _, space := range r.deferred() {
		if strings.HasPrefix(tool, space+"__") {
			return space
		}
	}
	return ""
}

// deferred are the namespaces whose tools Codex does not offer before they are searched for. It takes calls of them all the same.
func (r *request) deferred() []string {
	_, list, _ := strings.Cut(r.systemText(), "Deferred tool namespaces:\n")
	var names []string
	for line := range strings.Lines(list) {
		name, ok := strings.CutPrefix(line, "- ")
		if !ok {
			break
		}
		name, _, _ = strings.Cut(name, ":") // from what it is for
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

package agenttest

import "slices"

// addition is what the API takes beside what its description says.
type addition struct {
	of      string // the definition
	field   string
	as      any // the field's schema; nil when the field need not be there
	because string
}

var (
	anyJSON = map[string]any{}
	text    = map[string]any{"type": "string"}
)

// undescribed are the fields that real clients send, and the types of OpenAI's SDK do not have or want in another way.
var undescribed = []addition{
	{"ResponseNewParams", "client_metadata", anyJSON, "Codex names its session, thread and turn"},
	{"WebSearchToolParam", "search_content_types", anyJSON, "Codex, for newer models"},
	{"ResponseInputItemMessageParam", "id", text, "Codex names all that it sends"},
	{"ResponseReasoningItemParam", "id", nil, "OpenCode sends what it has been told without"},
	{"ResponseOutputMessageParam", "id", nil, "likewise"},
	{"ResponseOutputMessageParam", "type", nil, "likewise"},
	{"ResponseOutputMessageParam", "status", nil, "likewise, and so does Codex"},
	{"ResponseOutputTextParam", "annotations", nil, "likewise"},
}

func (a addition) add(defs map[string]any) {
	def, ok := defs[a.of].(map[string]any)
	switch {
	case !ok: // of another file
	case a.as != nil:
		def["properties"].(map[string]any)[a.field] = a.as
	default:
		required := def["required"].([]any)
		def["required"] = slices.DeleteFunc(slices.Clone(required), func(name any) bool { return name == a.field })
	}
}

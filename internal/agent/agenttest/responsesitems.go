package agenttest

import (
	"encoding/json"
	"fmt"
)

// responsesItem is a part of a conversation in the Responses API: a message, a call of a tool, what it has come back with, or a thought.
type responsesItem struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Role      string `json:"role"`
	Content   blocks `json:"content"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Arguments string `json:"arguments"` // of a function
	Input     string `json:"input"`     // of a custom tool
	Output    blocks `json:"output"`
	Encrypted string `json:"encrypted_content"` // of a thought

	Tools []responsesTool `json:"tools"` // that are offered from here on
}

// callOf is the type of the calls that an output answers, by its own type.
var callOf = map[string]string{
	"function_call_output":    "function_call",
	"custom_tool_call_output": "custom_tool_call",
	"local_shell_call_output": "local_shell_call",
	"shell_call_output":       "shell_call",
	"apply_patch_call_output": "apply_patch_call",
}

// responsesItems is an input: the API takes a bare string for one message of the user.
type responsesItems []responsesItem

func (l *responsesItems) UnmarshalJSON(data []byte) error {
	var text *string
	if json.Unmarshal(data, &text) == nil && text != nil {
		*l = responsesItems{{Type: "message", Role: "user", Content: blocks{{Type: "text", Text: *text}}}}
		return nil
	}
	return json.Unmarshal(data, (*[]responsesItem)(l))
}

// messages are the items as the Messages API would have them. Thoughts and calls of tools that the API itself runs are left out.
func (l responsesItems) messages() []message {
	var all []message
	for _, it := range l {
		switch it.Type {
		case "", "message":
			role := it.Role
			if role == "developer" {
				role = "system"
			}
			all = append(all, message{role, openaiText(it.Content)})
		case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call":
			name := it.Name
			if it.Namespace != "" {
				name = it.Namespace + "__" + name
			}
			all = append(all, message{"assistant", blocks{{Type: "tool_use", ID: it.CallID, Name: name, Input: jsonOf(it.Arguments + it.Input)}}})
		default:
			if callOf[it.Type] != "" {
				all = append(all, message{"user", blocks{{Type: "tool_result", ToolUseID: it.CallID, Content: openaiText(it.Output)}}})
			}
		}
	}
	return all
}

// validate pairs calls with their outputs. Stored says that the API would keep what it says.
func (l responsesItems) validate(stored bool) error {
	ids, kinds := map[string]bool{}, map[string]calls{}
	for output, call := range callOf {
		kinds[call] = newCalls(call, output)
	}
	for i, it := range l {
		if it.ID != "" && ids[it.ID] {
			return fmt.Errorf("input.%d: duplicate item with id %q", i, it.ID)
		}
		ids[it.ID] = true
		var err error
		switch of := callOf[it.Type]; {
		case of != "":
			err = kinds[of].end(it.CallID)
		case kinds[it.Type].open != nil:
			err = kinds[it.Type].begin(it.CallID)
		case it.Type == "item_reference":
			err = fmt.Errorf("item %q is not found: the scripted model keeps none", it.ID)
		case it.Type == "reasoning" && !stored && it.Encrypted == "":
			err = fmt.Errorf("item %q is not found: without store, items are not kept, and this one has no encrypted_content", it.ID)
		}
		if err != nil {
			return fmt.Errorf("input.%d: %w", i, err)
		}
	}
	for _, c := range kinds {
		if err := c.closed(); err != nil {
			return err
		}
	}
	return nil
}

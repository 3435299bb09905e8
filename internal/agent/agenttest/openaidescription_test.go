package agenttest

import (
	"encoding/json"
	"os/exec"
	"testing"
)

// openaiSDK is not in go.mod, since it requires the SDKs of three clouds.
const openaiSDK = "github.com/openai/openai-go/v3@v3.96.0"

// openaiDocumented is what the documentation says of fields and the types of OpenAI's SDK do not.
var openaiDocumented = []documentation{
	{"ResponseNewParams", func(p schema) { p["stream"] = basic["bool"] }}, // the SDK sets it itself
	{"ChatCompletionNewParams", func(p schema) { p["stream"] = basic["bool"] }},
	{"ChatCompletionNewParams", limit("messages", "minItems", 1)},
	{"Response", orNull("access_programs")}, // of what an answer must have, the types do not tell what may be null
	{"Response", orNull("error")},
	{"Response", orNull("incomplete_details")},
	{"Response", orNull("instructions")},
	{"ChatCompletionChoice", orNull("logprobs")},
	{"ChatCompletionMessage", orNull("content")},
	{"ChatCompletionMessage", orNull("refusal")},
	{"ErrorObject", orNull("code")},
	{"ErrorObject", orNull("param")},
	{"ResponseFunctionCallArgumentsDoneEvent", func(p schema) { p["name"] = basic["string"] }},
}

// TestOpenAIDescription makes the description of OpenAI's APIs again: their requests, and the answers that hold the server to them.
func TestOpenAIDescription(t *testing.T) {
	if !*update {
		t.Skip("only -update fetches OpenAI's SDK")
	}
	said, err := exec.Command("go", "mod", "download", "-json", openaiSDK).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(said, &module); err != nil {
		t.Fatal(err)
	}
	s := readSDK(t, module.Dir, "chatcompletion.go", "completion.go", "responses/response.go", "shared/shared.go")
	s.documented, s.nulls = openaiDocumented, true
	for _, root := range []string{"ResponseNewParams", "ChatCompletionNewParams",
		"Response", "ResponseStreamEventUnion", "ChatCompletion", "ChatCompletionChunk", "ErrorObject"} {
		s.define(root)
	}
	keep(t, "testdata/api/openai.json", s.defs)
}

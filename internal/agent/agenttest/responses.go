package agenttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
)

// responsesAPI is OpenAI's POST /v1/responses. The server keeps no responses, so a request must hold its whole conversation.
type responsesAPI struct{}

type responsesBody struct {
	openaiBody
	Instructions    string          `json:"instructions"`
	Input           responsesItems  `json:"input"`
	MaxOutputTokens int             `json:"max_output_tokens"`
	Tools           []responsesTool `json:"tools"`
	Previous        string          `json:"previous_response_id"`
	Conversation    any             `json:"conversation"`
}

func (responsesAPI) read(header http.Header, body []byte) (request, error) {
	var b responsesBody
	if err := json.Unmarshal(body, &b); err != nil {
		return request{}, fmt.Errorf("body is not a request: %w", err)
	}
	q := request{Model: b.Model, MaxTokens: b.MaxOutputTokens, Stream: b.Stream, Session: b.sessionOf(header),
		System: blocks{{Type: "text", Text: b.Instructions}}, Messages: b.Input.messages()}
	for _, t := range slices.Concat(b.Tools, b.Input.offers()) {
		q.Tools = append(q.Tools, t.offers()...)
	}
	if err := describedAs("ResponseNewParams", body); err != nil {
		return q, err
	}
	return q, b.validate()
}

// validate refuses what the API would refuse and its description cannot say.
func (b *responsesBody) validate() error {
	switch {
	case b.Model == "":
		return errors.New("model: missing required parameter")
	case b.Previous != "" || b.Conversation != nil:
		return errors.New("previous_response_id, conversation: the scripted model keeps no responses; send the whole conversation as input")
	case len(b.Input) == 0:
		return errors.New("input: missing required parameter")
	}
	return b.Input.validate(b.Store == nil || *b.Store)
}

func (responsesAPI) reply(a answer) reply { return responsesReply{a} }

func (responsesAPI) refusal(f *Fault) []byte { return openaiRefusal(f) }

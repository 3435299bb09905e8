package agenttest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// api is one of the APIs of models that the server speaks.
type api interface {
	// read reads a request, as far as it can be read. The error says why the API refuses it.
	read(header http.Header, body []byte) (request, error)
	reply(a answer) reply
	refusal(f *Fault) []byte // the body of an answer with the fault's status
}

// reply is an answer in the words of an API.
type reply interface {
	whole() []byte
	events() [][]byte                   // the same as server-sent events, in the API's order
	failure(f *Fault, after int) []byte // the event that ends a stream with an error after so many others
}

// event is a server-sent event whose data names its type, too.
func event(name string, data map[string]any) []byte {
	data["type"] = name
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, encode(data))
}

// encode makes JSON of maps of strings and numbers, which always marshal.
func encode(v any) []byte {
	text, _ := json.Marshal(v)
	return text
}

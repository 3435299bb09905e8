package openai

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/longshift/longshift/internal/agent/transcript"
)

// TestCallsOfOneIndex: servers that give every call the index 0 tell calls apart by their ids; one that names no tool again goes on with its call.
func TestCallsOfOneIndex(t *testing.T) {
	for name, parts := range map[string][]string{
		"whole calls": {`{"index":0,"id":"c1","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}}`,
			`{"index":0,"id":"c2","function":{"name":"list_dir","arguments":"{\"path\":\"b\"}"}}`},
		"whole calls without an index, in one event": {`{"id":"c1","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}},` +
			`{"id":"c2","function":{"name":"list_dir","arguments":"{\"path\":\"b\"}"}}`},
		"in pieces, of which the first has an id": {`{"index":0,"id":"c1","function":{"name":"read_file"}}`, `{"index":0,"function":{"arguments":"{\"path\":"}}`,
			`{"index":0,"id":"","function":{"arguments":"\"a.go\"}"}}`, `{"index":0,"id":"c2","function":{"name":"list_dir"}}`,
			`{"index":0,"function":{"arguments":"{\"path\":\"b\"}"}}`},
		"in pieces with ids of their own": {`{"index":0,"id":"c1","function":{"name":"read_file"}}`, `{"index":0,"id":"x","function":{"arguments":"{\"path\":\"a.go\"}"}}`,
			`{"index":1,"id":"c2","function":{"name":"list_dir"}}`, `{"index":1,"id":"y","function":{"arguments":"{\"path\":\"b\"}"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for _, p := range parts {
				lines = append(lines, delta(`{"tool_calls":[`+p+`]}`))
			}
			e, _ := server(t, events(append(lines, stops("tool_calls"), done)...))
			got, err := (&Model{}).Answer(t.Context(), e, transcript.Query{Session: "s", Start: start()})
			want := []transcript.Call{{ID: "c1", Tool: "read_file", Arguments: json.RawMessage(`{"path":"a.go"}`)},
				{ID: "c2", Tool: "list_dir", Arguments: json.RawMessage(`{"path":"b"}`)}}
			if err != nil || !reflect.DeepEqual(got.Calls, want) {
				t.Errorf("%v, %v", got.Calls, err)
			}
		})
	}
}

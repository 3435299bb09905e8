package telegramtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
)

// methods lists the parameters of each method, according to the Bot API.
var methods = map[string][]string{
	"getMe":               {},
	"getUpdates":          {"offset", "limit", "timeout", "allowed_updates"},
	"sendMessage":         {"chat_id", "text", "entities", "link_preview_options", "disable_notification", "reply_parameters", "reply_markup"},
	"editMessageText":     {"chat_id", "message_id", "text", "entities", "link_preview_options", "reply_markup"},
	"answerCallbackQuery": {"callback_query_id", "text", "show_alert"},
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller is gone, like a program that was killed
	}
	method, ok := strings.CutPrefix(r.URL.Path, "/bot"+Token+"/")
	known, listed := methods[method]
	if !ok || !listed || r.Method != http.MethodPost {
		s.t.Errorf("called %s %s, which is no method", r.Method, strings.ReplaceAll(r.URL.Path, Token, "TOKEN"))
		Refuse(http.StatusNotFound, "Not Found")(w, r)
		return
	}
	params, err := read(r.Header.Get("Content-Type"), body)
	if err != nil {
		s.t.Errorf("%s: %v", method, err)
	}
	for name := range params {
		if !slices.Contains(known, name) {
			s.t.Errorf("%s has no parameter %s (or none that we may use)", method, name)
		}
	}
	if method == "getUpdates" {
		s.poll(w, r, params)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, Call{method, params})
	if s.down {
		gateway(w, r)
		return
	}
	writes := method == "sendMessage" || method == "editMessageText"
	if writes && len(s.fails) > 0 {
		f := s.fails[0]
		s.fails = s.fails[1:]
		if f != nil {
			f(w, r)
			return
		}
	}
	result, problem := s.do(method, params)
	if s.lose && writes {
		s.lose = false
		panic(http.ErrAbortHandler)
	}
	if problem != "" {
		Refuse(http.StatusBadRequest, "Bad Request: "+problem)(w, r)
		return
	}
	give(w, result)
}

func (s *Server) do(method string, params map[string]string) (any, string) {
	switch method {
	case "getMe":
		return map[string]any{"id": BotID, "is_bot": true, "first_name": "Longshift", "username": BotName, "can_join_groups": true}, ""
	case "sendMessage":
		return s.send(params)
	case "editMessageText":
		return s.edit(params)
	}
	return s.answer(params)
}

// answer handles answerCallbackQuery, with or without an alert.
func (s *Server) answer(params map[string]string) (any, string) {
	id, text := params["callback_query_id"], params["text"]
	if units(text) > 200 {
		s.t.Errorf("an alert of %d characters", units(text))
	}
	user, ok := s.presses[id]
	if !ok {
		return nil, "query is too old and response timeout expired or query ID is invalid"
	}
	delete(s.waits, id)
	if text != "" {
		s.alerts = append(s.alerts, alert{id, user, text})
		if params["show_alert"] != "true" {
			s.t.Error("a text that goes away by itself in place of an alert")
		}
	}
	return true, ""
}

// read returns the parameters of a call, sent as a form or as JSON.
func read(kind string, body []byte) (map[string]string, error) {
	params := map[string]string{}
	media, more, err := mime.ParseMediaType(kind)
	if err != nil {
		return nil, err
	}
	if media == "application/json" {
		var raw map[string]json.RawMessage
		if err := json.Unmarshal(body, &raw); err != nil {
			return nil, err
		}
		for k, v := range raw {
			params[k] = strings.Trim(string(v), `"`)
		}
		return params, nil
	}
	form := multipart.NewReader(bytes.NewReader(body), more["boundary"])
	for {
		part, err := form.NextPart()
		if err == io.EOF || err != nil && len(params) == 0 { // the library sends an invalid form if there are no fields
			return params, nil
		}
		if err != nil {
			return nil, err
		}
		v, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		params[part.FormName()] = string(v)
	}
}

func give(w http.ResponseWriter, result any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
}

func gateway(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "<html>Bad Gateway</html>", http.StatusBadGateway)
}

// Refuse answers with an error of the Bot API. words must not contain quotation marks.
func Refuse(code int, words string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"ok":false,"error_code":%d,"description":%q}`, code, words)
	}
}

func Slow(seconds int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprintf(w, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after %d","parameters":{"retry_after":%d}}`,
			seconds, seconds)
	}
}

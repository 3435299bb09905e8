package gateway

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// Error types of the Messages API that the gateway uses in its own answers.
const (
	typeInvalid    = "invalid_request_error"
	typePermission = "permission_error"
	typeNotFound   = "not_found_error"
	typeTooLarge   = "request_too_large"
	typeAPI        = "api_error"
	typeOverloaded = "overloaded_error"
)

// answerError answers with an error in the API's format, which every client understands.
func answerError(w http.ResponseWriter, status int, kind, message string) {
	var body struct {
		Type  string `json:"type"`
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	body.Type, body.Error.Type, body.Error.Message = "error", kind, message
	text, _ := json.Marshal(body)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// answerRefusal answers a call that was not admitted. A used-up budget gets the status that Claude Code treats as final:
// after a 400 it retries six times, each time with fewer features.
func (s *Session) answerRefusal(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errBudget):
		s.mu.Lock()
		spent, ceiling := s.account.spent, s.account.ceiling
		s.mu.Unlock()
		w.Header().Set("X-Should-Retry", "false")
		text := "this session has used its budget of $" + dollars(ceiling) + " (spent: $" + dollars(spent) + "); no further model call is let through"
		if spent < ceiling {
			text = "what is left of this session's budget of $" + dollars(ceiling) + " (spent: $" + dollars(spent) + ") does not pay for this call"
		}
		answerError(w, http.StatusPaymentRequired, typeInvalid, "longshift_budget: "+text)
	case errors.Is(err, errClosed):
		answerError(w, http.StatusNotFound, typeNotFound, "longshift_session: this session is closed")
	case errors.Is(err, errLedger):
		answerError(w, http.StatusServiceUnavailable, typeAPI, "longshift_ledger: the call can't be accounted for, so it was not sent")
	default:
		panic(http.ErrAbortHandler) // the client is gone
	}
}

// dollars formats an amount with two decimals, or with up to four when it needs them.
func dollars(n nanos) string {
	text := strconv.FormatFloat(n.usd(), 'f', 4, 64)
	for range 2 {
		if text[len(text)-1] == '0' {
			text = text[:len(text)-1]
		}
	}
	return text
}

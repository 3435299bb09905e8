package gateway

import (
	"net/http"
	"regexp"
	"strings"
)

// route is where a request goes.
type route int

const (
	refused  route = iota
	messages       // costs money: reserved, metered, settled
	free           // passed on, costs nothing
	hello          // a greeting that clients open a connection with; answered here
)

// letThrough is told to a client that asked for something else.
const letThrough = "POST /v1/messages, POST /v1/messages/count_tokens, GET /v1/models"

var modelPath = regexp.MustCompile(`^/v1/models(/[A-Za-z0-9._:@\[\]-]+)?$`)

// routeOf decides on a request by its method and its path as it came over the wire. Only what agents need passes: the
// credential opens far more of the API than a session should reach.
func routeOf(method, path string) route {
	read := method == http.MethodGet || method == http.MethodHead
	switch {
	case method == http.MethodPost && path == "/v1/messages":
		return messages
	case method == http.MethodPost && path == "/v1/messages/count_tokens":
		return free
	case read && modelPath.MatchString(path):
		return free
	case read && (path == "" || path == "/" || path == "/api/hello"):
		return hello
	}
	return refused
}

// splitPath takes /s/<token>/rest apart. The rest begins with a slash or is empty.
func splitPath(path string) (token, rest string, ok bool) {
	path, ok = strings.CutPrefix(path, "/s/")
	if !ok {
		return "", "", false
	}
	token, rest, found := strings.Cut(path, "/")
	if found {
		rest = "/" + rest
	}
	return token, rest, token != ""
}

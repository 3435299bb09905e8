package gateway

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// route is how the gateway handles a request.
type route int

const (
	refused  route = iota
	messages       // costs money: reserved, metered, settled
	count          // passed on; costs nothing
	models         // list of models, answered by the gateway
	hello          // a greeting that clients open a connection with, answered by the gateway
)

// upstreamPath maps a route to the API's path.
var upstreamPath = map[route]string{messages: "/v1/messages", count: "/v1/messages/count_tokens"}

// letThrough lists the allowed routes, for the answer to any other request.
const letThrough = "POST /v1/messages, POST /v1/messages/count_tokens, GET /v1/models"

var modelPath = regexp.MustCompile(`^/v1/models(/[A-Za-z0-9._:@\[\]-]+)?$`)

// routeOf chooses the route by the method and the raw path. Only the routes that agents need exist: the credential
// grants far more of the API than a session should reach.
func routeOf(method, path string) route {
	read := method == http.MethodGet || method == http.MethodHead
	switch {
	case method == http.MethodPost && path == upstreamPath[messages]:
		return messages
	case method == http.MethodPost && path == upstreamPath[count]:
		return count
	case read && modelPath.MatchString(path):
		return models
	case read && (path == "" || path == "/" || path == "/api/hello"):
		return hello
	}
	return refused
}

// queryOf returns the query to send upstream. Agents send only beta=true, which has no effect today.
func queryOf(raw string) (string, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return "", refuse("has a query that can't be read")
	}
	for name, v := range values {
		if name != "beta" || len(v) != 1 || v[0] != "true" {
			return "", refuse("has the query parameter %s, which is not let through; only beta=true is", shown(name))
		}
	}
	return values.Encode(), nil
}

// splitPath splits /s/<token>/rest. The rest begins with a slash or is empty.
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

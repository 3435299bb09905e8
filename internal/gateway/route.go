package gateway

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// route is what is done with a request.
type route int

const (
	refused  route = iota
	messages       // costs money: reserved, metered, settled
	count          // passed on, costs nothing
	models         // which models there are; answered here
	hello          // a greeting that clients open a connection with; answered here
)

// upstreamPath is where a route leads.
var upstreamPath = map[route]string{messages: "/v1/messages", count: "/v1/messages/count_tokens"}

// letThrough is told to a client that asked for something else.
const letThrough = "POST /v1/messages, POST /v1/messages/count_tokens, GET /v1/models"

var modelPath = regexp.MustCompile(`^/v1/models(/[A-Za-z0-9._:@\[\]-]+)?$`)

// routeOf decides on a request by its method and its path as it came over the wire. Only what agents need passes: the
// credential opens far more of the API than a session should reach.
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

// queryOf gives the query that is sent on. beta=true, without a meaning today, is all that agents send.
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

package gateway

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// route is how the gateway handles a request.
type route int

const (
	refused   route = iota
	messages        // costs money, as responses and chat: reserved, metered, settled
	responses       //
	chat            //
	count           // passed on; costs nothing
	models          // list of models, answered by the gateway
	hello           // a greeting that clients open a connection with, answered by the gateway
)

// costs tells whether calls of a route cost money.
func (r route) costs() bool { return r == messages || r == responses || r == chat }

var modelPath = regexp.MustCompile(`^/v1/models(/[A-Za-z0-9._:@\[\]-]+)?$`)

// routeOf chooses the route by the method and the raw path. Only the routes that agents need exist: the credential
// grants far more of the API than a session should reach.
func (v vendor) routeOf(method, path string) route {
	read := method == http.MethodGet || method == http.MethodHead
	switch {
	case method == http.MethodPost:
		return v.posts[path]
	case read && modelPath.MatchString(path):
		return models
	case read && (path == "" || path == "/" || path == "/api/hello"):
		return hello
	}
	return refused
}

// letThrough lists the allowed routes, for the answer to any other request.
func (v vendor) letThrough() string {
	return "POST " + strings.Join(slices.Sorted(maps.Keys(v.posts)), ", POST ") + ", GET /v1/models"
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

// listed is a model in the API's list of models.
type listed struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Name    string `json:"display_name"`
	Created string `json:"created_at"`
}

// answerModels answers requests for the list of models from the price list, without calling the API. A request for a
// single model always succeeds: a model that the vendor lacks fails when it is used.
func (g *Gateway) answerModels(w http.ResponseWriter, a *api, path string) {
	w.Header().Set("Content-Type", "application/json")
	if name, one := strings.CutPrefix(path, "/v1/models/"); one {
		_ = json.NewEncoder(w).Encode(a.prices.listed(name))
		return
	}
	_ = json.NewEncoder(w).Encode(a.models(a.prices))
}

// modelList is the list of models as Anthropic's API gives it.
func modelList(p *Prices) any {
	var list struct {
		Data  []listed `json:"data"`
		First string   `json:"first_id"`
		Last  string   `json:"last_id"`
		More  bool     `json:"has_more"`
	}
	for _, name := range slices.Sorted(maps.Keys(p.models)) {
		list.Data = append(list.Data, p.listed(name))
	}
	list.First, list.Last = list.Data[0].ID, list.Data[len(list.Data)-1].ID // ParsePrices refuses a list without models
	return list
}

func (p *Prices) listed(name string) listed {
	return listed{Type: "model", ID: name, Name: name, Created: p.Date + "T00:00:00Z"}
}

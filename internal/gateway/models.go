package gateway

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// listed is a model in the API's list of models.
type listed struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Name    string `json:"display_name"`
	Created string `json:"created_at"`
}

// answerModels answers requests for the list of models from the price list, without calling the API. A request for a
// single model always succeeds: a model that the vendor lacks fails when it is used.
func (g *Gateway) answerModels(w http.ResponseWriter, path string) {
	w.Header().Set("Content-Type", "application/json")
	if name, one := strings.CutPrefix(path, "/v1/models/"); one {
		_ = json.NewEncoder(w).Encode(g.prices.listed(name))
		return
	}
	var list struct {
		Data  []listed `json:"data"`
		First string   `json:"first_id"`
		Last  string   `json:"last_id"`
		More  bool     `json:"has_more"`
	}
	for _, name := range slices.Sorted(maps.Keys(g.prices.models)) {
		list.Data = append(list.Data, g.prices.listed(name))
	}
	list.First, list.Last = list.Data[0].ID, list.Data[len(list.Data)-1].ID // ParsePrices refuses a list without models
	_ = json.NewEncoder(w).Encode(list)
}

func (p *Prices) listed(name string) listed {
	return listed{Type: "model", ID: name, Name: name, Created: p.Date + "T00:00:00Z"}
}

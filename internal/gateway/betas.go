package gateway

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync"
)

// pickBetas returns the betas of a request that may pass. Others are dropped, and each is logged once.
func (g *Gateway) pickBetas(a *api, from http.Header) (kept []string) {
	for beta := range strings.SplitSeq(strings.Join(from["Anthropic-Beta"], ","), ",") {
		switch beta = textproto.TrimString(beta); {
		case beta == "" || slices.Contains(kept, beta):
		case slices.Contains(a.betas, beta) || g.pass["beta:"+beta]:
			kept = append(kept, beta)
		case g.dropped.first(shown(beta)):
			g.log.Warn("anthropic-beta is not on the list and left out; an operator can let it through with LONGSHIFT_GATEWAY_PASS",
				"beta", shown(beta), "pass", "beta:"+shown(beta))
		}
	}
	return kept
}

// seen remembers names, so that each is logged once. It is bounded, so that an agent cannot fill memory or the log.
type seen struct {
	mu    sync.Mutex
	names []string
}

const mostNames = 100

func (s *seen) first(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.names) == mostNames || slices.Contains(s.names, name) {
		return false
	}
	s.names = append(s.names, name)
	return true
}

package github

import (
	"errors"
	"net/http"
)

var errRedirect = errors.New("refused to follow a redirect")

// checkRedirect allows redirects only to the same host and with the same method. The library would send the token to every host of a
// chain, and net/http turns a redirected POST into a GET, which would read instead of write.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host || req.Method != first.Method {
		return errRedirect
	}
	return nil
}

package github

import (
	"errors"
	"net/http"
)

// errRedirect is a redirect that must not be followed.
var errRedirect = errors.New("refused to follow a redirect")

// checkRedirect follows a redirect only to the same host and with the same method. The library puts the token on every request of
// a chain, whatever its host; and net/http turns a POST that meets a 301 or 302 into a GET, which would read where we meant to write.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host || req.Method != first.Method {
		return errRedirect
	}
	return nil
}

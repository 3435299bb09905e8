package slack

import (
	"errors"
	"net/http"
	"sync/atomic"
)

// onlyOne lets the library ask for one connection. It would ask for the next one by itself, without a pause, and be quicker than we
// can stop it.
type onlyOne struct {
	*http.Client
	asked atomic.Bool
}

// Do makes the first call.
func (o *onlyOne) Do(r *http.Request) (*http.Response, error) {
	if o.asked.Swap(true) {
		return nil, errors.New("one connection was asked for already")
	}
	return o.Client.Do(r)
}

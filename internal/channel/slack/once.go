package slack

import (
	"errors"
	"net/http"
	"sync/atomic"
)

// onlyOne lets the library open one connection. It would open the next one itself, without a pause, before it could be
// stopped.
type onlyOne struct {
	*http.Client
	asked atomic.Bool
}

// Do sends the first request only.
func (o *onlyOne) Do(r *http.Request) (*http.Response, error) {
	if o.asked.Swap(true) {
		return nil, errors.New("one connection was asked for already")
	}
	return o.Client.Do(r)
}

package github

import "context"

// looksAtOnce is how many pull requests this process reads at a time. After an outage all of them are to be read together. Side by side they
// would share what GitHub takes in a minute, so that each gets a part of its requests through, meets the limit, and begins anew.
const looksAtOnce = 10

// looks are the pull requests that are read now. Others wait in the order in which they came.
type looks chan struct{}

func newLooks() looks { return make(looks, looksAtOnce) }

// begin waits until a pull request may be read. The caller calls end when it has been.
func (l looks) begin(ctx context.Context) (end func(), err error) {
	select {
	case l <- struct{}{}:
		return func() { <-l }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

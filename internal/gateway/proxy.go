package gateway

import (
	"errors"
	"net/http"
)

// ServeHTTP serves agents: find the session, decide by the path, read the request, then do what its route says.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, path, ok := splitPath(r.URL.EscapedPath())
	s := g.session(token)
	if !ok || s == nil || !s.enter() {
		answerError(w, http.StatusNotFound, typeNotFound, "longshift_session: no such session, or it is closed")
		return
	}
	defer s.leave()
	way := routeOf(r.Method, path)
	switch way {
	case refused:
		answerError(w, http.StatusForbidden, typePermission,
			"longshift_path: "+r.Method+" "+path+" is not let through; only these are: "+letThrough)
		return
	case hello:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"message":"longshift model gateway"}`))
		return
	}
	size := min(r.ContentLength, maxRequest)
	if size < 0 {
		size = maxRequest // it does not say
	}
	if !s.hold(size) {
		answerError(w, statusOverloaded, typeOverloaded, "longshift_request: too many large requests of this session at once")
		return
	}
	defer s.drop(size)
	body, err := g.readBody(w, r)
	if err == nil && r.Header.Get("Content-Encoding") != "" {
		err = errNotJSON // it could not be priced
	}
	if err != nil {
		s.answerUnreadable(w, err)
		return
	}
	c := &call{session: s, request: r, path: path, body: body, start: g.now()}
	if way == messages && !c.admit(w) {
		return
	}
	c.serve(w)
}

// answerUnreadable answers a request whose body could not be taken in.
func (s *Session) answerUnreadable(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errTooLarge):
		answerError(w, http.StatusRequestEntityTooLarge, typeTooLarge, "longshift_request: a request may have 64 MB at most")
	case errors.Is(err, errNotJSON):
		answerError(w, http.StatusBadRequest, typeInvalid, "longshift_request: the body must be plain JSON that names a model")
	default:
		answerError(w, http.StatusRequestTimeout, typeInvalid, "longshift_request: the body did not arrive")
	}
}

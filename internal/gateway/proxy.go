package gateway

import (
	"errors"
	"net/http"
)

// ServeHTTP finds the session of a request, decides on its route by the path, reads the body and serves it.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, path, ok := splitPath(r.URL.EscapedPath())
	s := g.session(token)
	if !ok || s == nil || !s.enter() {
		answerError(w, http.StatusNotFound, typeNotFound, "longshift_session: no such session, or it is closed")
		return
	}
	defer s.leave()
	a := s.api
	way := a.routeOf(r.Method, path)
	switch way {
	case refused:
		answerError(w, http.StatusForbidden, typePermission,
			"longshift_path: "+r.Method+" "+path+" is not let through; only these are: "+a.letThrough())
		return
	case hello:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"message":"longshift model gateway"}`))
		return
	case models:
		g.answerModels(w, a, path)
		return
	}
	size := min(r.ContentLength, maxRequest)
	if size < 0 {
		size = maxRequest // the length is not announced
	}
	if !s.hold(size) {
		answerError(w, statusOverloaded, typeOverloaded, "longshift_request: too many large requests of this session at once")
		return
	}
	defer s.drop(size)
	c := &call{session: s, api: a, request: r, way: way, path: path, start: g.now()}
	q, err := c.take(w)
	if err != nil {
		answerUnreadable(w, err)
		return
	}
	if way.costs() && !c.admit(w, q) {
		return
	}
	c.body = q.text
	c.serve(w)
}

// take reads the body and checks what of it may pass.
func (c *call) take(w http.ResponseWriter) (q *request, err error) {
	g, r := c.session.gateway, c.request
	if version := r.Header.Get("Anthropic-Version"); version != "" && version != apiVersion {
		return nil, within("anthropic-version", refuse("is not %s", apiVersion))
	}
	if len(r.Header["Content-Encoding"]) > 0 {
		return nil, within("content-encoding", refuse("is not let through; send the body as it is"))
	}
	if c.query, err = queryOf(r.URL.RawQuery); err != nil {
		return nil, err
	}
	body, err := g.readBody(w, r)
	if err != nil {
		return nil, err
	}
	if q, err = c.api.read(c.way, body, g.pass, c.session.tools); err == nil {
		err = c.session.mayAsk(q.model)
	}
	if err == nil && c.way.costs() {
		err = c.api.bound(q)
	}
	c.betas = g.pickBetas(c.api, r.Header)
	return q, err
}

// answerUnreadable answers a request whose body could not be read or is not allowed.
func answerUnreadable(w http.ResponseWriter, err error) {
	var not *refusal
	switch {
	case errors.Is(err, errTooLarge):
		answerError(w, http.StatusRequestEntityTooLarge, typeTooLarge, "longshift_request: a request may have 32 MB at most")
	case errors.Is(err, errNotJSON), errors.As(err, &not):
		answerError(w, http.StatusBadRequest, typeInvalid, "longshift_request: "+err.Error())
	default:
		answerError(w, http.StatusRequestTimeout, typeInvalid, "longshift_request: the body did not arrive")
	}
}

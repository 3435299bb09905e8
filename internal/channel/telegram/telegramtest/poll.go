package telegramtest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

type queued struct {
	id     int64
	update map[string]any
	again  int // how many more times it is delivered after its confirmation
}

// poll returns unconfirmed updates, and waits for one. A newer poll ends an older one.
func (s *Server) poll(w http.ResponseWriter, r *http.Request, p map[string]string) {
	if p["allowed_updates"] != `["message","callback_query"]` {
		s.t.Errorf("allowed_updates %s", p["allowed_updates"])
	}
	offset, _ := strconv.ParseInt(p["offset"], 10, 64)
	seconds, err := strconv.Atoi(p["timeout"])
	if err != nil || seconds < 0 || seconds > 50 || offset < 0 {
		s.t.Errorf("a poll of %q seconds from %q", p["timeout"], p["offset"])
	}
	newer, fail := s.begin(offset)
	if fail != nil {
		fail(w, r)
		return
	}
	if seconds > 0 {
		s.hold(1)
		defer s.hold(-1)
	}
	over := time.NewTimer(time.Duration(seconds) * time.Second)
	defer over.Stop()
	for {
		s.mu.Lock()
		list, changed, down := s.pending(), s.changed, s.down
		s.mu.Unlock()
		switch {
		case down:
			gateway(w, r)
			return
		case len(list) > 0:
			give(w, list)
			return
		}
		select {
		case <-newer:
			s.mu.Lock()
			s.conflicts++
			s.mu.Unlock()
			Refuse(http.StatusConflict, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running")(w, r)
			return
		case <-changed:
		case <-over.C:
			give(w, []any{})
			return
		case <-r.Context().Done():
			return
		case <-s.closed:
			return
		}
	}
}

func (s *Server) hold(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held += n
}

// Listening reports whether a poll is held open: what people do now comes at once.
func (s *Server) Listening() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held > 0
}

// begin ends the previous poll, and confirms updates below the offset. newer is closed when the next poll begins.
func (s *Server) begin(offset int64) (newer chan struct{}, fail http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return nil, gateway
	}
	s.offset = offset
	if s.polled != nil {
		close(s.polled)
	}
	newer = make(chan struct{})
	s.polled = newer
	if len(s.pollFails) > 0 {
		fail, s.pollFails = s.pollFails[0], s.pollFails[1:]
		return newer, fail
	}
	for i := range s.queue {
		if q := &s.queue[i]; q.id < offset {
			q.again--
		}
	}
	s.queue = slices.DeleteFunc(s.queue, func(q queued) bool { return q.again < 0 })
	s.confirmed = max(s.confirmed, offset)
	return newer, nil
}

func (s *Server) pending() []map[string]any {
	list := []map[string]any{}
	for _, q := range s.queue[:min(len(s.queue), 100)] {
		u := maps.Clone(q.update)
		u["update_id"] = q.id
		list = append(list, u)
	}
	return list
}

// add queues an update and returns its id.
func (s *Server) add(update map[string]any) int64 {
	s.nextQueue++
	s.last = queued{id: s.nextQueue, update: update}
	s.put(s.last)
	return s.nextQueue
}

func (s *Server) put(q queued) {
	s.queue = append(s.queue, q)
	slices.SortFunc(s.queue, func(a, b queued) int { return int(a.id - b.id) })
	s.wake()
}

func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Last returns the id of the latest update. It is confirmed when Confirmed is greater.
func (s *Server) Last() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last.id
}

// Confirmed returns the highest offset of a poll: all updates below it are confirmed.
func (s *Server) Confirmed() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.confirmed
}

func (s *Server) Offset() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offset
}

// Conflicts counts the polls ended by a newer one.
func (s *Server) Conflicts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conflicts
}

// Renumber continues the ids of updates after a number, as Telegram may after a week without updates.
func (s *Server) Renumber(last int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextQueue = last
}

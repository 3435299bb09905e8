package gateway

import (
	"time"
)

// end closes the session. Calls in flight get the grace period to finish.
func (s *Session) end(grace time.Duration) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.account.finish()
	if s.active == 0 {
		close(s.drained)
	}
	s.mu.Unlock()
	if !s.waitDrained(grace) {
		s.cancel()
		s.waitDrained(s.gateway.limits.grace)
	}
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.account.ledger.close(); err != nil {
		s.gateway.log.Warn("close usage ledger", "session", s.id, "error", err)
	}
	s.transcript.close()
}

// Finish refuses the calls that have not begun. Those in flight go on.
func (s *Session) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.account.finish()
}

// waitDrained waits until no request is being served. It reports false on a timeout.
func (s *Session) waitDrained(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.drained:
		return true
	case <-t.C:
		return false
	}
}

// enter counts a request in. It fails when the session is closed; otherwise the caller must call leave.
func (s *Session) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.active++
	s.touch()
	return true
}

func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.touch()
	if s.closed && s.active == 0 {
		close(s.drained)
	}
}

// hold reserves memory for the body of a request. It fails when the session's limit is reached; otherwise the caller
// must call drop.
func (s *Session) hold(size int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held+size > maxHeld {
		return false
	}
	s.held += size
	return true
}

func (s *Session) drop(size int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held -= size
}

func (s *Session) touch() { s.lastCall.Store(s.gateway.now().UnixNano()) }

package activities

// handOver returns the endpoints of the session's prestarted agent, or nil. It waits for an agent that is starting or ending, so that
// the session never has two, and ends one whose work another agent does now. It does not wait for one that is itself waiting until another task's
// ends, which may take minutes: that one starts no more.
func (p *prestarter) handOver(id, agent string) *endpoints {
	for {
		p.mu.Lock()
		e := p.sessions[id]
		waits := e != nil && !e.begun
		if waits {
			delete(p.sessions, id)
		}
		p.mu.Unlock()
		if e == nil || waits {
			return nil
		}
		<-e.ready
		if e.name != agent {
			p.drop(id)
			continue
		}
		p.mu.Lock()
		mine := p.sessions[id] == e
		if mine {
			delete(p.sessions, id)
		}
		p.mu.Unlock()
		if mine {
			if e.stop != nil {
				e.stop.Stop()
			}
			return e.ends
		}
	}
}

// drop ends a prestarted agent, which counts among mostPrestarted until it has ended.
func (p *prestarter) drop(id string) {
	gone := &prestarted{ready: make(chan struct{}), begun: true}
	p.mu.Lock()
	e := p.sessions[id]
	if e != nil {
		gone.task, gone.n = e.task, e.n
		p.sessions[id] = gone
	}
	p.mu.Unlock()
	if e == nil {
		return
	}
	<-e.ready
	if e.ends != nil {
		e.stop.Stop()
		e.agent.Cool(id)
		e.ends.close()
	}
	p.remove(id, gone)
	close(gone.ready)
}

func (p *prestarter) forget(taskID string) {
	p.mu.Lock()
	var waiting []string
	for id, e := range p.sessions {
		if e.task == taskID {
			waiting = append(waiting, id)
		}
	}
	p.mu.Unlock()
	for _, id := range waiting {
		p.drop(id)
	}
}

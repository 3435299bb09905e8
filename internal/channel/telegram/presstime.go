package telegram

import (
	"encoding/json"
	"time"
)

// presses knows since when presses may have waited. Telegram does not send the time of a press, and keeps presses for a day, so one counts
// as made at the earliest moment that is possible: when this listener last had everything that there was. What was pressed while nobody
// listened is late by that, and so is a press that the handler fails on for too long.
type presses struct {
	upToDate time.Time           // when this listener last had all updates; zero before the first time
	since    map[int64]time.Time // of the updates in the last answer, by number
}

// mostBehind is the age of the last complete answer above which the next poll only fetches what waits. A press during a long poll would count
// as made before it.
const mostBehind = time.Minute

// unknown is the time of presses from before this listener.
var unknown = time.Unix(0, 0).UTC()

// behind tells whether updates may wait that are much older than the next answer.
func (p *presses) behind(now time.Time) bool { return now.Sub(p.upToDate) > mostBehind }

// polled notes an answer. An update that was there before keeps its time.
func (p *presses) polled(list []json.RawMessage, now time.Time) {
	since := map[int64]time.Time{}
	for _, raw := range list {
		id := numberOf(raw)
		known, ok := p.since[id]
		switch {
		case ok:
			since[id] = known
		case p.upToDate.IsZero():
			since[id] = unknown
		default:
			since[id] = p.upToDate
		}
	}
	p.since = since
	if len(list) < mostPolled {
		p.upToDate = now.UTC().Round(0) // the wall clock's, which goes on while the machine sleeps
	}
}

// at is the earliest time at which an update of the last answer can have been made.
func (p *presses) at(id int64) time.Time { return p.since[id] }

// numberOf reads the number of an update; 0 when there is none.
func numberOf(raw json.RawMessage) int64 {
	var head struct {
		ID int64 `json:"update_id"`
	}
	if json.Unmarshal(raw, &head) != nil {
		return 0
	}
	return head.ID
}

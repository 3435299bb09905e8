package task

import "strconv"

// Origin is where a task that has come by itself comes from, and the limits that it waits for.
type Origin struct {
	Intake   string `json:"intake,omitempty"` // name of the intake
	Source   string `json:"source,omitempty"` // github, linear, backlog or heartbeat
	Key      string `json:"key,omitempty"`    // of the work at the source
	Sum      string `json:"sum,omitempty"`    // of its text when it was read
	Label    string `json:"label,omitempty"`
	Assignee string `json:"assignee,omitempty"`
	Team     string `json:"team,omitempty"`
	Path     string `json:"path,omitempty"`
	Priority int    `json:"priority,omitempty"`
	Guard    *Guard `json:"guard,omitempty"`
}

// fits tells whether the origin names a source that there is, and work there.
func (o *Origin) fits() bool {
	switch o.Source {
	case "":
		return true
	case "github", "linear", "backlog", "heartbeat":
		return o.Key != ""
	}
	return false
}

// Guard is what a task waits for before it works. The zero Guard waits for nothing.
type Guard struct {
	Sessions      int     `json:"sessions,omitempty"`      // tasks of the repository at work at a time; 0 is no limit
	PauseIfOpenPR bool    `json:"pauseIfOpenPR,omitempty"` // while a pull request of ours is open
	DailyCost     float64 `json:"dailyCost,omitempty"`     // US dollars a day (UTC); 0 is no limit
}

// None tells whether there is nothing to wait for.
func (g Guard) None() bool { return g == Guard{} }

// And gives the guard that keeps both.
func (g Guard) And(h Guard) Guard {
	if h.Sessions > 0 && (g.Sessions == 0 || h.Sessions < g.Sessions) {
		g.Sessions = h.Sessions
	}
	if h.DailyCost > 0 && (g.DailyCost == 0 || h.DailyCost < g.DailyCost) {
		g.DailyCost = h.DailyCost
	}
	g.PauseIfOpenPR = g.PauseIfOpenPR || h.PauseIfOpenPR
	return g
}

// mistakes checks the values.
func (g Guard) mistakes(at string) (all []mistake) {
	if g.Sessions < 0 || g.Sessions > maxSessions {
		all = append(all, mistake{field: at + "sessions", what: "is " + strconv.Itoa(g.Sessions), way: "give a whole number from 0 (no limit) to " + strconv.Itoa(maxSessions)})
	}
	if !(g.DailyCost >= 0 && g.DailyCost <= maxDailyCost) {
		all = append(all, mistake{field: at + "dailyCost", what: "is " + plain(g.DailyCost), way: "give US dollars from 0 (no limit) to " + plain(maxDailyCost)})
	}
	return all
}

const (
	maxSessions  = 1000
	maxDailyCost = 1_000_000 // US dollars
)

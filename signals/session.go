package signals

// AgentSession is the type of the workflow that runs one session of Longshift's own agent. The workflow of its task starts it and passes on
// to it what people say; nobody else has to talk to it.
const AgentSession = "AgentSession"

// SessionTell is the signal by which a task passes a message of a person on to its session. Its payload is a SessionMessage.
const SessionTell = "told"

// SessionMessage is a message of a person to a session.
type SessionMessage struct {
	Text string `json:"text"`
	N    int    `json:"n"` // number of the message in its session, from 1; one that was there before does not count again
}

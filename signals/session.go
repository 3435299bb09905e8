package signals

import (
	"fmt"
	"strconv"
	"strings"
)

// AgentSession is the type of the workflow that runs one session of Longshift's own agent. The workflow of its task starts it and passes on
// to it what people say; nobody else has to talk to it.
const AgentSession = "AgentSession"

const beforeNumber = "-session-"

// SessionID is the id of the workflow AgentSession that runs session n of a task.
func SessionID(taskWorkflow string, n int) string {
	return fmt.Sprintf("%s%s%d", taskWorkflow, beforeNumber, n)
}

// ParseSessionID takes the id of an AgentSession apart. It is false for any other text.
func ParseSessionID(id string) (taskWorkflow string, n int, ok bool) {
	i := strings.LastIndex(id, beforeNumber)
	if i < 1 {
		return "", 0, false
	}
	n, err := strconv.Atoi(id[i+len(beforeNumber):])
	return id[:i], n, err == nil && n > 0 && SessionID(id[:i], n) == id
}

// SessionTell is the signal by which a task passes a message of a person on to its session. Its payload is a SessionMessage.
const SessionTell = "told"

// SessionMessage is a message of a person to a session.
type SessionMessage struct {
	Text string `json:"text"`
	N    int    `json:"n"` // number of the message in its session, from 1; one that was there before does not count again
}

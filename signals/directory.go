package signals

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// Directory is the workflow type of the single workflow that stores which chats people have bound to this installation with a one-time
// code, and which workspace each of them has chosen. It needs no input and never ends. DirectoryID is its workflow id.
const (
	Directory   = "Directory"
	DirectoryID = "longshift-directory"
)

// Updates and queries of a Directory. A caller starts the workflow with its first update.
const (
	Invite     = "invite" // takes an Invitation, returns nothing: its code can be used once, until it expires
	Bind       = "bind"   // takes a BindRequest, returns a BindAnswer
	Unbind     = "unbind" // takes an UnbindRequest, returns a BindAnswer: Bound reports whether there was such a binding
	Switch     = "switch" // takes a SwitchRequest, returns a WorkspaceAnswer
	QueryBound = "bound"  // returns []Binding

	QueryWorkspace = "workspace" // takes a WorkspaceQuery, returns a WorkspaceAnswer
)

// Invitation announces a code by its hash.
type Invitation struct {
	Channel string    `json:"channel"`
	Hash    string    `json:"hash"` // CodeHash of the code
	Expires time.Time `json:"expires"`
}

// BindRequest redeems a code.
type BindRequest struct {
	Message
	Channel string    `json:"channel"`
	Hash    string    `json:"hash"` // CodeHash of what the person has typed
	User    string    `json:"user"` // id
	Name    string    `json:"name,omitempty"`
	Room    task.Room `json:"room"`
}

// BindAnswer says whether the code was valid.
type BindAnswer struct {
	Bound bool   `json:"bound"`
	Text  string `json:"text"` // one line for the person
}

// UnbindRequest removes a binding.
type UnbindRequest struct {
	Message
	Channel string `json:"channel"`
	User    string `json:"user"`
}

// Binding is a user who may do everything from a chat, because they had the code.
type Binding struct {
	Channel string    `json:"channel"`
	User    string    `json:"user"`
	Name    string    `json:"name,omitempty"`
	Room    task.Room `json:"room"`
	Hash    string    `json:"hash,omitempty"` // of the code, which can't be used again
	Since   time.Time `json:"since"`
}

// SwitchRequest sets the current workspace of a user of a channel. An empty name clears it.
type SwitchRequest struct {
	Message
	Channel   string `json:"channel"`
	User      string `json:"user"` // id
	Workspace string `json:"workspace,omitempty"`
}

// WorkspaceQuery asks for the current workspace of a user.
type WorkspaceQuery struct {
	Channel string `json:"channel"`
	User    string `json:"user"`
}

// WorkspaceAnswer is the current workspace of a user; empty for none.
type WorkspaceAnswer struct {
	Workspace string `json:"workspace,omitempty"`
}

// Workspace is the choice of a user of a channel: the name of a folder in the operator's folder of projects.
type Workspace struct {
	Channel string    `json:"channel"`
	User    string    `json:"user"`
	Name    string    `json:"name"`
	Since   time.Time `json:"since"`
}

// DirectoryState is handed from one run of a Directory to the next.
type DirectoryState struct {
	Invitations []Invitation `json:"invitations,omitempty"`
	Bindings    []Binding    `json:"bindings,omitempty"`
	Workspaces  []Workspace  `json:"workspaces,omitempty"`
}

// CodeHash is the form in which a code is stored, so that a history reveals no valid code. Case and hyphens are ignored.
func CodeHash(channel, code string) string {
	plain := strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
	sum := sha256.Sum256([]byte("longshift bind\x00" + channel + "\x00" + plain))
	return hex.EncodeToString(sum[:])
}

package signals

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/longshift/longshift/task"
)

// Directory is the workflow type of the one workflow that remembers which chats people have bound to this installation with a
// one-time code, and which workspace each of them has chosen. It needs no input and never ends; DirectoryID is its workflow id.
const (
	Directory   = "Directory"
	DirectoryID = "longshift-directory"
)

// Updates and the query of a Directory. A caller starts the workflow with its first update.
const (
	Invite     = "invite" // an Invitation goes in, nothing comes back: its code may be used once, until it expires
	Bind       = "bind"   // a BindRequest goes in, a BindAnswer comes back
	Unbind     = "unbind" // an UnbindRequest goes in, a BindAnswer comes back: Bound tells whether there was such a binding
	Switch     = "switch" // a SwitchRequest goes in, a WorkspaceAnswer comes back
	QueryBound = "bound"  // gives []Binding

	QueryWorkspace = "workspace" // takes a WorkspaceQuery and gives a WorkspaceAnswer
)

// Invitation makes a code known, never in the clear.
type Invitation struct {
	Channel string    `json:"channel"`
	Hash    string    `json:"hash"` // CodeHash of the code
	Expires time.Time `json:"expires"`
}

// BindRequest gives a code back.
type BindRequest struct {
	Message
	Channel string    `json:"channel"`
	Hash    string    `json:"hash"` // of what the person typed
	User    string    `json:"user"` // id
	Name    string    `json:"name,omitempty"`
	Room    task.Room `json:"room"`
}

// BindAnswer says whether the code was good.
type BindAnswer struct {
	Bound bool   `json:"bound"`
	Text  string `json:"text"` // one line for the person
}

// UnbindRequest takes a binding back.
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
	Hash    string    `json:"hash,omitempty"` // of the code, which is used up
	Since   time.Time `json:"since"`
}

// SwitchRequest makes a workspace the current one of a user of a channel. No name is none.
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

// WorkspaceAnswer names the current workspace of a user; empty is none.
type WorkspaceAnswer struct {
	Workspace string `json:"workspace,omitempty"`
}

// Workspace is what a user of a channel has chosen: the name of a folder below the one that the listening process lists.
type Workspace struct {
	Channel string    `json:"channel"`
	User    string    `json:"user"`
	Name    string    `json:"name"`
	Since   time.Time `json:"since"`
}

// DirectoryState is what one run of a Directory hands to the next.
type DirectoryState struct {
	Invitations []Invitation `json:"invitations,omitempty"`
	Bindings    []Binding    `json:"bindings,omitempty"`
	Workspaces  []Workspace  `json:"workspaces,omitempty"`
}

// CodeHash is how a code is passed on: whoever reads a history must not learn one that is still good. Case and hyphens do not count.
func CodeHash(channel, code string) string {
	plain := strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
	sum := sha256.Sum256([]byte("longshift bind\x00" + channel + "\x00" + plain))
	return hex.EncodeToString(sum[:])
}

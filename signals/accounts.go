package signals

import "time"

// Accounts is the workflow type of the one workflow that keeps which accounts of models are used up, for all tasks of an installation. It runs
// while there is one.
const Accounts = "Accounts"

// AccountsID is its workflow id.
const AccountsID = "accounts"

// Cool is its update, which takes a Cooling and returns nothing. A caller starts the workflow with it. Repeating it changes nothing.
const Cool = "cool"

// QueryAccounts is its query, which returns an AccountsState.
const QueryAccounts = "accounts"

// Cooling is an account that is left alone until its quota is back.
type Cooling struct {
	Account string    `json:"account"`
	Until   time.Time `json:"until"`
	Why     string    `json:"why,omitempty"`  // what its API has said
	Task    string    `json:"task,omitempty"` // workflow id of the task that was told
	Since   time.Time `json:"since,omitzero"`
}

// AccountsState is the state of Accounts, which one run hands to the next.
type AccountsState struct {
	Cooling []Cooling `json:"cooling,omitempty"` // in the order of their names
}

// Until is when an account has quota again, zero if it has.
func (s AccountsState) Until(account string, now time.Time) time.Time {
	for _, c := range s.Cooling {
		if c.Account == account && c.Until.After(now) {
			return c.Until
		}
	}
	return time.Time{}
}

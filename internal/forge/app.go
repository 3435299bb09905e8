package forge

// AppState is how an app stands at its forge.
type AppState struct {
	Name    string   // by which it acts
	Missing []Lack   // permissions that Longshift needs and the app does not ask for, or an installation has not given
	For     []string // accounts that have it
	Install string   // page to install it
}

// Lack is permissions that are missing in one place.
type Lack struct {
	Where       string // "the app", or an account
	Permissions []string
	Needed      bool // tasks fail without
	Page        string
}

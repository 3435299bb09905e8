package config

// Dev is what longshift dev starts.
type Dev struct {
	Server string `envconfig:"LONGSHIFT_DEVSERVER" help:"server binary for longshift dev; found beside longshift or on PATH when empty"`
	Worker string `envconfig:"LONGSHIFT_WORKER" help:"worker binary for longshift dev; found beside longshift or on PATH when empty"`
}

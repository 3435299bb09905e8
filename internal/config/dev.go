package config

// Dev is what longshift dev starts.
type Dev struct {
	Server string `envconfig:"LONGSHIFT_DEVSERVER"`
	Worker string `envconfig:"LONGSHIFT_WORKER"`
}

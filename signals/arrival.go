package signals

// Arrival is the workflow type of what becomes of one request that came from a forge: an issue that is wanted, a command in a
// comment. Its input is a forge.Event as JSON.
const Arrival = "Arrival"

// ArrivalID is the workflow id of the Arrival of a forge's event: a redelivered event is the same Arrival.
func ArrivalID(event string) string { return "arrival:" + event }

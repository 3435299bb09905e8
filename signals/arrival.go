package signals

// Arrival is the workflow type that handles one event of a forge: an issue that is wanted, or a command in a comment. Its input is a
// forge.Event as JSON.
const Arrival = "Arrival"

// ArrivalID is the workflow id for a forge's event. A redelivered event gets the same one.
func ArrivalID(event string) string { return "arrival:" + event }

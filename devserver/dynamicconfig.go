package devserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"go.temporal.io/server/common/dynamicconfig"
)

// DynamicConfig holds server settings that may differ per namespace or task queue. Keys are case-insensitive.
type DynamicConfig map[dynamicconfig.Key][]dynamicconfig.ConstrainedValue

// defaultDynamicConfig is what a single-machine server needs to differ from the server's own defaults.
// Each value is JSON, as a user would write it.
func defaultDynamicConfig() map[string]string {
	return map[string]string{
		// A search attribute or Nexus endpoint is usable by the next call after it was registered.
		"system.forceSearchAttributesCacheRefreshOnRead": "true",
		"system.forceNexusEndpointRefreshOnRead":         "true",
		// Those two read the database more often, so the limits of a cluster node would be met too soon.
		"frontend.persistenceMaxQPS": "10000",
		"history.persistenceMaxQPS":  "45000",

		// Cancelling reaches a running activity at once instead of with its next heartbeat. Both are needed.
		"frontend.WorkerCommandsEnabled":           "true",
		"system.enableCancelActivityWorkerCommand": "true",

		// The queues inside the history service read at most 20 times a second each. With one shard, that
		// puts 45 ms between any two steps of a workflow. The database has room for more.
		"history.transferProcessorMaxPollRPS": "200",
		"history.timerProcessorMaxPollRPS":    "100",
		// Timers fire up to this late; a second allows for clocks of many hosts, and here is one.
		"history.timerProcessorMaxTimeShift": `"20ms"`,

		// Lists are what people and status commands ask for; ten a second is too few for one machine.
		"frontend.namespaceRPS.visibility": "100",
		// The default holds 128000 workflows in memory.
		"history.hostLevelCacheMaxSize": "8192",

		// Standalone activities can be paused, reset and handled in batches, as in the official dev server.
		"history.enableStandaloneActivityOperatorCommands":      "true",
		"frontend.enableBatchOperationsForStandaloneActivities": "true",

		// No call to the outside.
		"frontend.enableServerVersionCheck": "false",
	}
}

// ParseDynamicConfig reads key to JSON value pairs. Unknown keys are kept, since older and newer servers
// know other ones, and come back as warnings; a value of the wrong type is an error.
func ParseDynamicConfig(values map[string]string) (DynamicConfig, []string, error) {
	loader := &dynamicconfig.YamlLoader{Map: dynamicconfig.ConfigValueMap{}}
	var warnings []string
	for key, value := range values {
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(value)); err != nil {
			return nil, nil, fmt.Errorf("--dynamic-config-value %s=%s: not JSON; a string needs double quotes", key, value)
		}
		// JSON is YAML, and the server's own loader knows every key and its type.
		loader.LoadValue(dynamicconfig.MakeKey(key), append([]byte("- value: "), compact.Bytes()...))
		if err := loader.Err(); err != nil {
			return nil, nil, fmt.Errorf("--dynamic-config-value %s=%s: %w", key, value, err)
		}
		for _, warning := range loader.Warnings {
			if cause := errors.Unwrap(warning); cause != nil {
				return nil, nil, fmt.Errorf("--dynamic-config-value %s=%s: %w", key, value, cause)
			}
			warnings = append(warnings, fmt.Sprintf("--dynamic-config-value %s: this server has no such key; it has no effect", key))
		}
		loader.Warnings = nil
	}
	return DynamicConfig(loader.Map), warnings, nil
}

// client merges the user's values over the defaults.
func (user DynamicConfig) client() (dynamicconfig.Client, error) {
	defaults, warnings, err := ParseDynamicConfig(defaultDynamicConfig())
	if err != nil {
		return nil, fmt.Errorf("default dynamic config: %w", err)
	}
	if len(warnings) > 0 {
		return nil, fmt.Errorf("default dynamic config: %v", warnings)
	}
	maps.Copy(defaults, user)
	merged := make(dynamicconfig.StaticClient, len(defaults))
	for key, value := range defaults {
		merged[key] = value
	}
	return merged, nil
}

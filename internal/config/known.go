package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/nearest"
)

var (
	// temporalNames and what begins with temporalPrefixes are the variables that Temporal's envconfig and its SDK read.
	temporalNames = strings.Fields(`TEMPORAL_ADDRESS TEMPORAL_NAMESPACE TEMPORAL_API_KEY TEMPORAL_CLIENT_AUTHORITY TEMPORAL_CONFIG_FILE TEMPORAL_PROFILE
		TEMPORAL_TLS TEMPORAL_TLS_CLIENT_CERT_PATH TEMPORAL_TLS_CLIENT_CERT_DATA TEMPORAL_TLS_CLIENT_KEY_PATH TEMPORAL_TLS_CLIENT_KEY_DATA
		TEMPORAL_TLS_SERVER_CA_CERT_PATH TEMPORAL_TLS_SERVER_CA_CERT_DATA TEMPORAL_TLS_SERVER_NAME TEMPORAL_TLS_DISABLE_HOST_VERIFICATION
		TEMPORAL_CODEC_ENDPOINT TEMPORAL_CODEC_AUTH TEMPORAL_DEBUG`)
	temporalPrefixes = []string{"TEMPORAL_GRPC_META_", "TEMPORAL_SDK_FLAG_"}

	// otherNames are variables of other programs that are one letter away from a fallback of ours, or that Longshift reads as well.
	otherNames = []string{"GITHUB_REPO", "GL_TOKEN"}
)

// unread says that nothing reads a variable of the settings file, and which one was probably meant; "" for one that may be read. Libraries,
// git and programs of tasks read many that are not known here, so only names that look like ours or Temporal's are unread, and those
// within a letter of a fallback. Two letters are too many there: GITLAB_TOKEN is not meant to be GITHUB_TOKEN.
func unread(name string) string {
	var own, fallback []string
	for n := range waysOf() {
		if strings.HasPrefix(n, "LONGSHIFT_") {
			own = append(own, n)
		} else {
			fallback = append(fallback, n)
		}
	}
	own, fallback = append(own, temporalNames...), append(fallback, otherNames...)
	slices.Sort(own) // of several that are as near, always the same
	slices.Sort(fallback)
	if slices.Contains(own, name) || slices.Contains(fallback, name) ||
		slices.ContainsFunc(temporalPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		return ""
	}
	const what = "there is no such variable"
	if meant := cmp.Or(nearest.Name(name, own), nearest.Within(1, name, fallback)); meant != "" {
		return what + "; did you mean " + meant + "?"
	}
	if strings.HasPrefix(name, "LONGSHIFT_") || strings.HasPrefix(name, "TEMPORAL_") {
		return what
	}
	return ""
}

// tasksNames returns the variables that tasks are given, and those that name their files.
func tasksNames(given map[string]any, lookup Lookup) (names []string) {
	for _, list := range spaced {
		for _, name := range listed(list, given, lookup) {
			names = append(names, name, name+"_FILE", name+"_FD")
		}
	}
	return names
}

// listed returns the names of variables in LONGSHIFT_TASK_SECRETS or LONGSHIFT_TASK_ENV, as the settings file or the environment says.
func listed(list string, given map[string]any, lookup Lookup) (names []string) {
	inFile, _ := settingText(list, given[list])
	set, _ := lookup(list)
	for entry := range strings.FieldsSeq(inFile + " " + set) {
		name, _, _ := strings.Cut(entry, "@")
		name, _, _ = strings.Cut(name, ":")
		name, _, _ = strings.Cut(name, "=")
		names = append(names, name)
	}
	return names
}

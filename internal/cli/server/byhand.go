package server

import (
	"fmt"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"google.golang.org/grpc/codes"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// Unregistered is the fault of search attributes that the server has not added.
func Unregistered(namespace string, missing map[string]enumspb.IndexedValueType, err error) error {
	kind := fault.Infra
	if refused(err) {
		kind = fault.Denied
	}
	return fault.New(kind, "register search attributes in namespace %s: %w", namespace, err).WithHint("%s", ByHand(namespace, missing, err))
}

// ByHand says how a person registers what err has kept from being registered. Temporal Cloud takes search attributes from its own tools
// alone, and refuses those who ask the server.
func ByHand(namespace string, missing map[string]enumspb.IndexedValueType, err error) string {
	var server, cloud strings.Builder
	for _, a := range signals.Attributes() {
		if _, ok := missing[a.Name]; ok {
			fmt.Fprintf(&server, " temporal operator search-attribute create --namespace %s --name %s --type %s;", namespace, a.Name, a.Type)
			fmt.Fprintf(&cloud, " --search-attribute %s=%s", a.Name, a.Type)
		}
	}
	text := "register them by hand:" + server.String()
	if refused(err) {
		text += fmt.Sprintf(" on Temporal Cloud, in the settings of the namespace or by tcld namespace search-attributes add --namespace %s%s",
			namespace, cloud.String())
	}
	return text
}

func refused(err error) bool {
	code := serviceerror.ToStatus(err).Code()
	return err != nil && (code == codes.PermissionDenied || code == codes.Unimplemented)
}

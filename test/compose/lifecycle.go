package compose

import (
	"fmt"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// lifecycles checks that what must stay up is looked after and started again, and that what must end does end.
func lifecycles(s *Stack) []error {
	return s.services(func(service types.ServiceConfig) []error {
		if s.oneShot(service.Name) {
			ends := service.Restart == "no" || strings.HasPrefix(service.Restart, "on-failure:")
			return each(when(!ends, "restart is %q; a service that others wait to end needs \"no\" or \"on-failure:N\"", service.Restart))
		}
		h := service.HealthCheck
		return each(
			when(service.Restart != "unless-stopped", "restart is %q; a service that stays up needs \"unless-stopped\"", service.Restart),
			when(!healthy(service), "no healthcheck"),
			when(healthy(service) && (h.Interval == nil || h.Timeout == nil || h.StartPeriod == nil || h.Retries == nil),
				"healthcheck without interval, timeout, start_period or retries"),
			when(healthy(service) && h.Interval != nil && h.Timeout != nil && *h.Timeout > *h.Interval, "healthcheck's timeout is longer than its interval"),
		)
	})
}

// healthy tells whether the service's health is asked for at all.
func healthy(service types.ServiceConfig) bool {
	h := service.HealthCheck
	return h != nil && !h.Disable && len(h.Test) > 1 && h.Test[0] != "NONE"
}

// dependencies checks that nothing starts before what it needs works: a condition that says so, on a service that can.
func dependencies(s *Stack) []error {
	return s.services(func(service types.ServiceConfig) []error {
		var broken []error
		for name, on := range service.DependsOn {
			other, found := s.Project.Services[name]
			switch {
			case !found:
				broken = append(broken, fmt.Errorf("depends on %s, which is no service", name))
			case on.Condition == types.ServiceConditionHealthy && !healthy(other):
				broken = append(broken, fmt.Errorf("waits for the health of %s, which has no healthcheck", name))
			case on.Condition == types.ServiceConditionCompletedSuccessfully && healthy(other):
				broken = append(broken, fmt.Errorf("waits for %s to end, which has a healthcheck and so stays up", name))
			case on.Condition != types.ServiceConditionHealthy && on.Condition != types.ServiceConditionCompletedSuccessfully:
				broken = append(broken, fmt.Errorf("depends on %s with condition %s; give service_healthy or service_completed_successfully", name, on.Condition))
			}
		}
		return broken
	})
}

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/cli/setup"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/task"
)

// decider holds the policies that rows ask for.
type decider struct {
	base policy.Config
	made map[string]*policy.Policy
}

func (d decider) decide(row policyRow, o policyOptions) (policyVerdict, error) {
	role := task.Role(row.Role)
	if role == "" {
		role = task.Role(o.role)
	}
	if !slices.Contains(task.Roles(), role) {
		return policyVerdict{}, fault.New(fault.Input, "the role %q is not known", role).WithHint("use %s", roleNames())
	}
	profiles, destructive := []string(row.Profiles), o.destructive
	if row.Profiles == nil {
		profiles = o.profiles
	}
	if row.Destructive != nil {
		destructive = *row.Destructive
	}
	one, err := d.policy(profiles, destructive)
	if err != nil {
		return policyVerdict{}, err
	}
	dir := checkRoot
	if o.dir != "" {
		dir += "/" + o.dir
	}
	v := one.Decide(policy.Request{Role: role, Dir: dir, Command: *row.Command, Restorable: anyPath})
	if v.Verdict == policy.Ask && role.ReadOnly() {
		v.Verdict, v.Reason = policy.Deny, v.Reason+"; nobody is asked for a session that only reads"
	}
	return policyVerdict{Command: *row.Command, Verdict: v.Verdict, Rule: v.Rule, Reason: v.Reason, Part: v.Part}, nil
}

// anyPath takes every path for one that git can restore.
func anyPath(string) bool { return true }

func (d decider) policy(profiles []string, destructive bool) (*policy.Policy, error) {
	key := fmt.Sprint(strings.Join(profiles, ","), destructive)
	if p, ok := d.made[key]; ok {
		return p, nil
	}
	c := d.base
	c.Destructive = destructive
	if profiles != nil {
		for _, name := range profiles {
			if !slices.Contains(task.Profiles(), name) {
				return nil, fault.New(fault.Input, "the tool chain %q is not known", name).WithHint("use %s", strings.Join(task.Profiles(), ", "))
			}
		}
		c.Profiles = slices.DeleteFunc(slices.Clone(profiles), func(p string) bool { return p == task.ProfileNone })
	}
	p, err := policy.New(c)
	if err == nil {
		d.made[key] = p
	}
	return p, err
}

// decideInSandbox decides on commands of implementers as a worker does, in its sandbox.
func decideInSandbox(read func(process config.Config, sandboxed bool) (policy.Config, error)) setup.Decider {
	return func(process config.Config) (func(string) (policy.Verdict, string, error), error) {
		base, err := read(process, true)
		if err != nil {
			return nil, err
		}
		base.Root, base.Home = checkRoot, checkHome
		d := decider{base: base, made: map[string]*policy.Policy{}}
		return func(command string) (policy.Verdict, string, error) {
			v, err := d.decide(policyRow{Command: &command, Destructive: &base.Destructive}, policyOptions{role: string(task.Implementer)})
			return v.Verdict, v.Reason, err
		}, nil
	}
}

package whatsapp

import (
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// meaning is how an error code of the API is treated.
type meaning struct {
	kind fault.Kind
	hint string
	wait time.Duration // a rate limit: the pause if the answer does not say
}

const (
	newToken = "put in a new access token of a system user with the right whatsapp_business_messaging"
	lookAt   = "look at the account in the WhatsApp Manager"
	number   = "check the number: country code, digits only, and a person who has WhatsApp"
)

// meanings are those of the Graph API's codes. The code decides, not the HTTP status: a missing permission has status
// 500.
var meanings = map[int]meaning{
	0:   {kind: fault.Denied, hint: newToken},
	3:   {kind: fault.Denied, hint: newToken},
	10:  {kind: fault.Denied, hint: newToken},
	190: {kind: fault.Denied, hint: newToken},

	4:      {kind: fault.Infra, wait: 5 * time.Minute}, // requests of the app
	80007:  {kind: fault.Infra, wait: 5 * time.Minute}, // requests of the account
	130429: {kind: fault.Infra, wait: time.Minute},     // messages of the number
	131056: {kind: fault.Infra, wait: 6 * time.Second}, // messages to one person: one in six seconds
	131048: {kind: fault.Infra, wait: time.Hour},       // people have reported the number

	1:      {kind: fault.Infra},
	2:      {kind: fault.Infra},
	131000: {kind: fault.Infra},
	131016: {kind: fault.Infra},
	131057: {kind: fault.Infra}, // the number is being migrated
	133004: {kind: fault.Infra},

	131047: {kind: fault.Denied,
		hint: "WhatsApp lets a business write only within 24 hours after the person did: let them write a message to our number"},
	131030: {kind: fault.Denied, hint: "a test number writes only to the numbers in its list: add it in the app dashboard"},
	131026: {kind: fault.NotFound, hint: number},
	33:     {kind: fault.NotFound, hint: "check the phone number id in the app dashboard"},

	131005: {kind: fault.Denied, hint: newToken},
	368:    {kind: fault.Denied, hint: lookAt},
	130497: {kind: fault.Denied, hint: lookAt},
	131031: {kind: fault.Denied, hint: lookAt},
	131042: {kind: fault.Denied, hint: lookAt},
	131045: {kind: fault.Denied, hint: lookAt},
	133010: {kind: fault.Denied, hint: "register the number in the WhatsApp Manager"},

	100:    {kind: fault.Input},
	131008: {kind: fault.Input},
	131009: {kind: fault.Input},
	131021: {kind: fault.Input, hint: "the room is our own number"},
	131051: {kind: fault.Input},
}

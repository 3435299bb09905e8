package command

import (
	"errors"
	"math"
	"strconv"

	"github.com/spf13/pflag"
)

// dollars is the value of a flag for an amount of money. pflag's own takes NaN and infinities too, which pass every comparison and can't
// be sent to the server.
type dollars float64

// DollarsVar defines a flag for US dollars, 0 where it is not given.
func DollarsVar(f *pflag.FlagSet, into *float64, name, usage string) {
	f.Var((*dollars)(into), name, usage)
}

func (d *dollars) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return err
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return errors.New("not an amount")
	}
	*d = dollars(v)
	return nil
}

func (d *dollars) String() string { return strconv.FormatFloat(float64(*d), 'g', -1, 64) }

func (d *dollars) Type() string { return "float64" }

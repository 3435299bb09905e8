package workfile

import "context"

// MarkedFolder is a folder that is open, with the marks about its files.
type MarkedFolder struct {
	*Folder
	Marks *Marks
	// MayGo says of a file that a crash has left aside whether its content may go, as Recover asks it, by all the marks there are.
	MayGo func(all []Mark, name string, content File, there bool) bool
}

// settle ends what a crash has left between the steps of a change. The caller holds the lock.
func (d *MarkedFolder) settle() error {
	if !d.LeftAside() {
		return nil
	}
	all, err := d.Marks.All()
	if err != nil {
		return err
	}
	return d.Recover(func(name string, content File, there bool) bool { return d.MayGo(all, name, content, there) })
}

// Quiet settles before a call that only reads.
func (d *MarkedFolder) Quiet(ctx context.Context) error {
	if !d.LeftAside() {
		return nil
	}
	return d.Locked(ctx, func([]Mark) error { return nil })
}

// Locked makes a change, with nothing half done in the folder and nobody else at it. do is given all the marks there are.
func (d *MarkedFolder) Locked(ctx context.Context, do func(all []Mark) error) error {
	release, err := d.Marks.Lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := d.settle(); err != nil {
		return err
	}
	all, err := d.Marks.All()
	if err != nil {
		return err
	}
	return do(all)
}

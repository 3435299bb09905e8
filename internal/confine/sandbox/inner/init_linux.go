package inner

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"path"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Descriptors under which the program's stdio reaches the inner init. bubblewrap keeps 0 to 2 open while it runs, so a
// pipe there would not end when the program closes it.
const (
	givenIn  = 3
	givenOut = 4
	givenErr = 5
)

// init turns a process that was started as the first process of a box into an inner init, and does not return then. It
// runs here instead of in main because initializing a worker's other packages takes longer than the rest of a start.
func init() {
	if path.Base(os.Args[0]) == Name && (len(os.Args) == 1 || os.Args[1] != Probe) {
		syscall.Exit(initMain())
	}
}

// initProcess is the state of an inner init.
type initProcess struct {
	control int // the socket to the worker
	order   Order
}

// initMain applies the last layers, runs the program, and reports how it ended.
func initMain() int {
	runtime.LockOSThread() // the main thread stays outside the program's Landlock domain, so the program can't signal it
	// No process may trace this one, and signals meant for the program must not end it.
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTSTP,
		syscall.SIGUSR1, syscall.SIGUSR2)
	i := initProcess{}
	if err := i.connect(path.Dir(os.Args[0])); err != nil {
		fmt.Fprintln(os.Stderr, Name+": this program is started by longshift itself:", err)
		return 2
	}
	code := make(chan int)
	go func() { code <- i.serve() }()
	return <-code
}

// serve runs the program from a separate thread: Landlock and priority apply per thread, and so does the signal that
// kills the program when this process dies.
func (i *initProcess) serve() int {
	runtime.LockOSThread()
	pid, err := i.launch()
	if err != nil {
		i.tell(failure(err))
		return 1
	}
	for fd := givenIn; fd <= givenErr; fd++ {
		unix.Close(fd)
	}
	if err := i.tell(Report{Kind: Started}); err != nil {
		return 1
	}
	go i.endWithWorker()
	return i.reap(pid)
}

// connect connects to the worker through the socket in the box's folder and reads the order. It uses the socket's bare
// name, since socket paths must be short.
func (i *initProcess) connect(dir string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Chdir(dir); err != nil {
		return err
	}
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path.Base(Socket)}); err != nil {
		return err
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	i.control = fd
	var header [4]byte
	if _, err := io.ReadFull(rawReader(fd), header[:]); err != nil {
		return err
	}
	return ReadBody(rawReader(fd), header, &i.order)
}

// rawReader reads a descriptor without the runtime's poller, which is not needed otherwise.
type rawReader int

func (r rawReader) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(int(r), b)
		if err == unix.EINTR {
			continue
		}
		if n <= 0 && err == nil {
			err = io.EOF
		}
		return max(n, 0), err
	}
}

func (i *initProcess) tell(r Report, fds ...int) error {
	b, err := Frame(r)
	if err != nil {
		return err
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	for len(b) > 0 {
		n, err := unix.SendmsgN(i.control, b, rights, nil, unix.MSG_NOSIGNAL)
		if err == unix.EINTR {
			continue
		} else if err != nil {
			return err
		}
		b, rights = b[n:], nil
	}
	return nil
}

// endWithWorker ends the box when the worker is gone.
func (i *initProcess) endWithWorker() {
	var b [1]byte
	for {
		if _, err := rawReader(i.control).Read(b[:]); err != nil {
			syscall.Exit(1)
		}
	}
}

// reap waits for the program, and for every orphan until it ends. Remaining processes end with this one.
func (i *initProcess) reap(pid int) int {
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 1
		case got != pid:
			continue
		case status.Signaled():
			i.tell(Report{Kind: Ended, Sig: status.Signal()})
			return 128 + int(status.Signal())
		}
		i.tell(Report{Kind: Ended, Code: status.ExitStatus()})
		return status.ExitStatus()
	}
}

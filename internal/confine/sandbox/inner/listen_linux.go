package inner

import (
	"fmt"

	"golang.org/x/sys/unix"
)

const backlog = 128

// listen opens the box's ports and passes the listeners to the worker, which accepts on them: a socket stays in the
// network namespace it was created in. So nothing of the worker's is visible in the box, not even a socket file.
func (i *initProcess) listen() error {
	var fds, ports []int
	defer func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
	}()
	for _, port := range i.order.Ports {
		v4 := &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
		fd, err := listenOn(unix.AF_INET, v4)
		if err != nil {
			return fmt.Errorf("listen on 127.0.0.1:%d: %w", port, err)
		}
		fds, ports = append(fds, fd), append(ports, port)
		v6 := &unix.SockaddrInet6{Port: port, Addr: [16]byte{15: 1}}
		if fd, err := listenOn(unix.AF_INET6, v6); err == nil { // a machine without IPv6 has no ::1
			fds, ports = append(fds, fd), append(ports, port)
		}
	}
	if len(fds) == 0 {
		return nil
	}
	return i.tell(Report{Kind: Listening, Ports: ports}, fds...)
}

func listenOn(family int, addr unix.Sockaddr) (int, error) {
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, err
	}
	if family == unix.AF_INET6 {
		unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 1)
	}
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	if err = unix.Bind(fd, addr); err == nil {
		err = unix.Listen(fd, backlog)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

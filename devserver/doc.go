// Package devserver runs a Temporal server on SQLite, with Temporal Web, in one process.
//
// It is meant for one machine: a laptop, a small team server, a test. It answers to the flags of the
// official command line's "server start-dev", so that either binary can take the other's place, on the
// same database file too. What it adds: a database that survives kill -9 and power loss, one server per
// file, and errors of one line.
//
// It may not import the Longshift module, nor be imported by it: the two meet over gRPC only.
package devserver

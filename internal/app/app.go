// Package app is the composition root: it reads the configuration, builds the leaves and registers what runs.
// It is the only importer of leaves. It holds no rule of the pipeline and no command of the command line.
package app

// Package app is the composition root: it reads the configuration, builds the leaves and registers workflows and activities. Only it
// imports leaves. It contains no rules of the pipeline and no commands.
package app

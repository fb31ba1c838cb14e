// Package routers proves that the handlers of Tributary work on the routers that hosts
// use: docs/embed.md shows its examples.
package routers

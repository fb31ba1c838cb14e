// Package imports stores the rows of another service, without events.
package imports

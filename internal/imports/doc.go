// Package imports takes in the rows of another service. It writes without events.
package imports

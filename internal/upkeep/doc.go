// Package upkeep deletes what is old and who wants to be forgotten, and gives people what
// is kept of them. It must know every field that can name a person.
package upkeep

// Package upkeep deletes old records and personal data, and shows people what is kept of
// them. It must know every field that can name a person.
package upkeep

// Package partner is the view of a program that one affiliate may see.
package partner

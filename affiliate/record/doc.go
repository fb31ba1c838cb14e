// Package record defines what a store keeps, and the contract of a store: [Store],
// [Tx], [Table] and [Schema]. A host needs it to write a store of its own, and for
// [Hooks], which get records.
//
// A store is dumb: it knows keys and no rules. Package conformance tests one.
package record

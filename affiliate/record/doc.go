// Package record is what a store keeps, and the contract of a store: [Store], [Tx],
// [Table] and [Schema]. Who embeds a program needs it for a store of their own and for
// [Hooks], which get records.
//
// A store is dumb: it knows keys and no rule. Package conformance tests one.
package record

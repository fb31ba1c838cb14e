// Package proofs holds tests alone, of the whole program: state machines that
// implement the rules a second time, a fault at every call of the store, callers at
// once, and the benchmarks. What a single rule says is tested beside its room.
package proofs

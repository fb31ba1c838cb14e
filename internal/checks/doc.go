// Package checks holds tests alone, of the repository as a whole: which package may import
// which, what packages export and how they say it, and whether the documents are true. They
// run in the root of the repository.
package checks

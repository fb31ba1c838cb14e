package affiliate

// A Breach is an invariant that the records of a program break.
type Breach struct {
	Invariant string `json:"invariant"` // its number, as listed at Program.Verify
	Object    string `json:"object"`    // the object that breaks it: a kind and an id
	Detail    string `json:"detail"`    // how; it holds ids and figures, never personal data
}

// Error names the invariant, the object and how it is broken.
func (b *Breach) Error() string {
	return "affiliate: " + b.Invariant + ": " + b.Object + ": " + b.Detail
}

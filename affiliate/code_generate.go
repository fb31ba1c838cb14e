package affiliate

// Generated codes. Rule 3.8; contract 2.2.

// foldedAlphabet is how many different characters a code may have: the two
// cases of a letter are the same.
const foldedAlphabet = 36

// Total is how many codes the batch has.
func (in NewCodes) Total() int { return in.Count * max(len(in.AffiliateIDs), 1) }

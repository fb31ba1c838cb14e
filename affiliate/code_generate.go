package affiliate

// Generated codes. Rule 3.8; contract 2.2.

// foldedAlphabet is the number of different characters in a code: upper and
// lower case count as one.
const foldedAlphabet = 36

// plainAlphabet is foldedAlphabet without the characters that can be misread, or make words.
const plainAlphabet = 26

// Total returns the number of codes in the batch.
func (in NewCodes) Total() int { return in.Count * max(len(in.AffiliateIDs), 1) }

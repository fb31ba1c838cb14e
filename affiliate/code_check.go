package affiliate

import "math/big"

// A KeySpace is what a batch of generated codes would take.
type KeySpace struct {
	Count    int    `json:"count"`    // how many codes it would make
	KeySpace string `json:"keySpace"` // how many random parts there are, without regard to case: a decimal number

	// Samples are up to three codes such as it would make. Only
	// Program.CheckCodes has them, and only in Go.
	Samples []string `json:"-"`
}

// KeySpace says what the batch would take.
func (in NewCodes) KeySpace() KeySpace {
	return KeySpace{Count: in.Total(), KeySpace: in.RandomParts().String()}
}

// RandomParts is how many different random parts a batch may draw from; 1 without
// a random part.
func (in *NewCodes) RandomParts() *big.Int {
	if !in.CodeStructure.Or(CodeStructure{}).RandomChars {
		return big.NewInt(1)
	}
	return new(big.Int).Exp(big.NewInt(foldedAlphabet), big.NewInt(in.RandomCharsLength.Or(DefaultRandomLength)), nil)
}

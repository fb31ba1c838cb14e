package affiliate

import "math/big"

// A KeySpace describes a batch of generated codes before it is made.
type KeySpace struct {
	Count    int    `json:"count"`    // how many codes it would make
	KeySpace string `json:"keySpace"` // how many random parts there are, without regard to case: a decimal number

	// Samples are up to three example codes. Only Program.CheckCodes fills them,
	// and only in Go.
	Samples []string `json:"-"`
}

// KeySpace counts the codes of the batch, and the random parts that they can
// have.
func (in NewCodes) KeySpace() KeySpace {
	return KeySpace{Count: in.Total(), KeySpace: in.RandomParts().String()}
}

// RandomParts returns how many different random parts the batch can draw from; 1
// without a random part.
func (in *NewCodes) RandomParts() *big.Int {
	if !in.CodeStructure.Or(CodeStructure{}).RandomChars {
		return big.NewInt(1)
	}
	alphabet := int64(plainAlphabet)
	if in.RandomCharsAll {
		alphabet = foldedAlphabet
	}
	return new(big.Int).Exp(big.NewInt(alphabet), big.NewInt(in.RandomCharsLength.Or(DefaultRandomLength)), nil)
}

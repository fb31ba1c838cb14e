package engine

import (
	"strings"

	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// rude are words that nobody wants in a code, or their consonants. None is longer than rudeLength.
// Digits and V are read as the letters that they look like.
var rude = []string{
	"FUCK", "FUK", "FCK", "SHIT", "SHT", "CUNT", "CNT", "DICK", "DCK", "COCK", "SUCK", "SUX", "TWAT", "TIT", "ASS",
	"SEX", "CUM", "FAG", "FGT", "WANK", "PISS", "PORN", "SLUT", "BITCH", "BTCH", "PRICK", "PNS", "PSSY", "CRAP",
	"TURD", "KKK", "NGR", "COON", "SPIC", "JIZZ",
}

const rudeLength = 5

var lookalikes = strings.NewReplacer("0", "O", "1", "I", "2", "Z", "3", "E", "4", "A", "5", "S", "6", "G", "7", "T", "8", "B", "V", "U")

// A politeness changes the random parts of a batch that would spell a word, also together with the
// name before them. It draws nothing, because the closure of a write may run twice.
type politeness struct {
	alphabet string
	drawn    []string
	given    map[string]bool // what no part may become; nil: none was changed yet
}

// part returns a random part behind a base, or another one that spells nothing.
func (p *politeness) part(base, random string) string {
	at := rudeAt(base, random)
	if at < 0 {
		return random
	}
	if p.given == nil {
		p.given = make(map[string]bool, len(p.drawn))
		for _, part := range p.drawn {
			p.given[record.FoldCode(part)] = true
		}
	}
	text := []byte(random)
	for range 4 * len(p.alphabet) {
		i := strings.IndexByte(p.alphabet, text[at])
		text[at] = p.alphabet[(i+1)%len(p.alphabet)]
		if at = rudeAt(base, string(text)); at >= 0 {
			continue
		}
		if folded := record.FoldCode(string(text)); !p.given[folded] {
			p.given[folded] = true
			return string(text)
		}
		at = len(text) - 1
	}
	return random // there is no room: a short part, of which nearly all are given out
}

// rudeAt returns where in a random part the first rude word ends that is not in its base alone; -1: there is none.
func rudeAt(base, random string) int {
	head := base[max(0, len(base)-rudeLength+1):]
	text := lookalikes.Replace(plaintext.Upper(head + random))
	for end := len(head) + 1; end <= len(text); end++ {
		for _, word := range rude {
			if strings.HasSuffix(text[:end], word) {
				return end - 1 - len(head)
			}
		}
	}
	return -1
}

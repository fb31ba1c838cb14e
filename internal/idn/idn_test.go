package idn

import (
	"strings"
	"testing"
)

// TestEncode: the samples of RFC 3492, 7.1.
func TestEncode(t *testing.T) {
	for want, in := range map[string]string{
		"egbpdaj6bu4bxfgehfvwxn":                        "ليهمابتكلموشعربي؟",
		"ihqwcrb4cv8a8dqg056pqjye":                      "他们为什么不说中文",
		"ihqwctvzc91f659drss3x8bo0yb":                   "他們爲什麽不說中文",
		"Proprostnemluvesky-uyb24dma41a":                "Pročprostěnemluvíčesky",
		"4dbcagdahymbxekheh6e0a7fei0b":                  "למההםפשוטלאמדבריםעברית",
		"i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd":  "यहलोगहिन्दीक्योंनहींबोलसकतेहैं",
		"n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa":        "なぜみんな日本語を話してくれないのか",
		"b1abfaaepdrnnbgefbadotcwatmq2g4l":              "почемужеонинеговорятпорусски",
		"PorqunopuedensimplementehablarenEspaol-fmd56a": "PorquénopuedensimplementehablarenEspañol",
		"TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g":  "TạisaohọkhôngthểchỉnóitiếngViệt",
		"3B-ww4c5e180e575a65lsy2b":                      "3年B組金八先生",
		"-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n":      "安室奈美恵-with-SUPER-MONKEYS",
		"Hello-Another-Way--fc4qua05auwb3674vfr0b":      "Hello-Another-Way-それぞれの場所",
		"2-u9tlzr9756bt3uc0v":                           "ひとつ屋根の下2",
		"MajiKoi5-783gue6qz075azm5e":                    "MajiでKoiする5秒前",
		"de-jg4avhby1noc0d":                             "パフィーdeルンバ",
		"d9juau41awczczp":                               "そのスピードで",
	} {
		if got := encode([]rune(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestASCII(t *testing.T) {
	for in, want := range map[string]string{
		"example.com":              "example.com",
		"":                         "",
		"EXAMPLE.com":              "EXAMPLE.com",
		"bücher.example":           "xn--bcher-kva.example",
		"BÜCHER.Example":           "xn--bcher-kva.example",
		"straße.de":                "xn--strae-oqa.de",
		"STRAẞE.de":                "xn--strae-oqa.de",
		"почта.рф":                 "xn--80a1acny.xn--p1ai",
		"例え。テスト":                   "xn--r8jz45g.xn--zckzah",
		"例え．ｃｏｍ":                   "xn--r8jz45g.com",
		"mail.παράδειγμα.δοκιμή":   "mail.xn--hxajbheg2az3al.xn--jxalpdlp",
		"xn--bcher-kva.bücher.com": "xn--bcher-kva.xn--bcher-kva.com",
	} {
		if got, ok := ASCII(in); !ok || got != want {
			t.Errorf("%s: %s %v, want %s", in, got, ok, want)
		}
	}
	for name, in := range map[string]string{
		"a decomposed umlaut": "bu\u0308cher.example", "Kelvin": "\u212Aiss.example", "a dotted I": "İstanbul.example", "a ligature": "eﬃ.example",
		"an emoji": "😀.example", "a space": "bü cher.example", "underscore": "bü_cher.example", "hyphen first": "-bücher.example",
		"hyphen last": "bücher-.example", "hyphens of an A-label": "bü--cher.example", "a mark first": "\u0902a.example", "half width": "ﾃｽﾄ.example",
		"too long": strings.Repeat("ü", 60) + ".example", "invalid UTF-8": "b\xffcher.example", "superscript": "ü².example",
	} {
		if got, ok := ASCII(in); ok {
			t.Errorf("%s: %s", name, got)
		}
	}
}

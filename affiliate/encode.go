package affiliate

import (
	"encoding/json"
	"strconv"

	"github.com/tributary-go/tributary/internal/jsontext"
)

// Encoders of the answers that are written very often: encoders.go has them for each struct, and
// internal/encoders writes that file. They produce the same bytes as encoding/json. The years of
// the instants must be from 1 to 9999.

// AppendJSON appends the affiliate as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (a *Affiliate) AppendJSON(dst []byte) []byte { return a.appendJSON(dst) }

// AppendJSON appends the code as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (c Code) AppendJSON(dst []byte) []byte { return c.appendJSON(dst) }

// AppendJSON appends the coupon as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (c Coupon) AppendJSON(dst []byte) []byte { return c.appendJSON(dst) }

// AppendJSON appends the link as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (l *Link) AppendJSON(dst []byte) []byte { return l.appendJSON(dst) }

// AppendJSON appends the referral as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (r *Referral) AppendJSON(dst []byte) []byte { return r.appendJSON(dst) }

// AppendJSON appends the sale as json.Marshal encodes it and returns the
// extended slice. The years of its instants must be from 1 to 9999.
func (s *Sale) AppendJSON(dst []byte) []byte { return s.appendJSON(dst) }

// appendOpt appends the value, or null when there is none.
func appendOpt[T any](dst []byte, o Opt[T], value func([]byte, T) []byte) []byte {
	v, ok := o.Get()
	if !ok {
		return append(dst, "null"...)
	}
	return value(dst, v)
}

// appendOptOf is appendOpt for what has members.
func appendOptOf[T any](dst []byte, o *Opt[T], value func(*T, []byte) []byte) []byte {
	if o.state != optGiven {
		return append(dst, "null"...)
	}
	return value(&o.v, dst)
}

func appendAmount(dst []byte, a Amount) []byte     { return a.AppendJSON(dst) }
func appendPercent(dst []byte, p Percent) []byte   { return p.AppendJSON(dst) }
func appendRate(dst []byte, r ExchangeRate) []byte { return r.AppendJSON(dst) }
func appendTime(dst []byte, t Time) []byte         { return t.AppendJSON(dst) }
func appendInt[N ~int64](dst []byte, n N) []byte   { return strconv.AppendInt(dst, int64(n), 10) }

// appendRaw appends JSON that was checked when it was received.
func appendRaw(dst []byte, doc json.RawMessage) []byte {
	raw, err := json.Marshal(doc)
	if err != nil {
		return append(dst, "null"...) // encoding/json returns an error here
	}
	return append(dst, raw...)
}

// appendList appends an array; nil is null.
func appendList[T any](dst []byte, list []T, item func(*T, []byte) []byte) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = item(&list[i], dst)
	}
	return append(dst, ']')
}

func appendStrings[S ~string](dst []byte, list []S) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsontext.AppendString(dst, s)
	}
	return append(dst, ']')
}

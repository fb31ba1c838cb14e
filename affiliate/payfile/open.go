package payfile

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

// open reads a file with a header: what stands behind it, and its columns.
func open(r io.Reader) (*csv.Reader, places, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, places{}, fmt.Errorf("payfile: %w", err)
	}
	text, err := decoded(data)
	if err != nil {
		return nil, places{}, err
	}
	if strings.TrimSpace(text) == "" {
		return nil, places{}, errors.New("payfile: the file is empty")
	}
	var wrong error
	for _, separator := range ",;\t" {
		in := csv.NewReader(strings.NewReader(text))
		in.Comma, in.FieldsPerRecord = separator, -1
		header, err := in.Read()
		if err == nil && len(header) > 0 && strings.HasPrefix(strings.ToLower(strings.Join(header, "")), "sep=") {
			header, err = in.Read() // a line that only tells spreadsheets what separates cells
		}
		at, missing := find(header)
		if err == nil && missing == nil {
			return in, at, nil
		}
		if wrong == nil { // what is wrong is said of a file with commas
			if wrong = missing; err != nil {
				wrong = fmt.Errorf("payfile: %w", err)
			}
		}
	}
	return nil, places{}, wrong
}

// decoded is the text of a file without its byte order mark, and with lines that
// end as Go reads them.
func decoded(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return fromUTF16(data[2:], binary.BigEndian)
	}
	return lines.Replace(strings.TrimPrefix(string(data), "\ufeff")), nil
}

var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func fromUTF16(data []byte, order binary.ByteOrder) (string, error) {
	if len(data)%2 != 0 {
		return "", errors.New("payfile: the file is not complete: half a character is at its end")
	}
	units := []uint16{}
	for pair := range slices.Chunk(data, 2) {
		units = append(units, order.Uint16(pair))
	}
	return lines.Replace(string(utf16.Decode(units))), nil
}

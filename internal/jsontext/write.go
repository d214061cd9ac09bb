package jsontext

// safeByte lists the bytes that need no escape in a JSON string.
var safeByte = func() (t [256]bool) {
	for i := range t {
		t[i] = i >= 0x20 && i != '"' && i != '\\'
	}
	return t
}()

// AppendString writes valid UTF-8 as a JSON string. It escapes only what JSON requires.
func AppendString(b, s []byte) []byte {
	b = append(b, '"')
	from := 0
	for i, c := range s {
		if safeByte[c] {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

const hexDigits = "0123456789abcdef"

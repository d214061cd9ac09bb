package gatewaytest

import (
	"bytes"
	"io"
	"mime/multipart"
)

// Part is the name and the text of one part of a multipart body.
type Part [2]string

// MultipartOf returns the content type and the text of a body.
func MultipartOf(parts ...Part) (kind, body string) {
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, p := range parts {
		w, _ := m.CreateFormFile(p[0], p[0])
		_, _ = io.WriteString(w, p[1])
	}
	_ = m.Close()
	return m.FormDataContentType(), b.String()
}

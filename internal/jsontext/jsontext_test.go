package jsontext_test

import (
	"strings"
	"testing"

	"github.com/dig-cli/dig/internal/jsontext"
)

func TestDeeper(t *testing.T) {
	for text, want := range map[string]int{
		`[[]]`: -1, `[[[]]]`: 2, `{"a":{"b":[1]}}`: 10, `["[[[["]`: -1, `["\"[[[["]`: -1, `["\\",[[`: 7, ``: -1,
		`]]]`: -1, `[],[],[]`: -1,
	} {
		if got := jsontext.Deeper(text, 2); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
		if got := jsontext.Deeper([]byte(text), 2); got != want {
			t.Errorf("%s as bytes: %d, want %d", text, got, want)
		}
	}
}

func TestUnpaired(t *testing.T) {
	for text, want := range map[string]int{
		`"\ud83d\ude00"`: -1, `"\ud83d"`: 1, `"\ude00"`: 1, `"a\ud83dx\ude00"`: 2, `"\\ud83d"`: -1, `"\\\ud83d"`: 3,
		`"\ud83d\ud83d\ude00"`: 1,
		`"\u00e9"`:             -1, `"\u12"`: -1, `"\`: -1, `"\ud83d\n"`: 1, "": -1,
	} {
		if got := jsontext.Unpaired(text); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if got := jsontext.Unpaired(strings.Repeat(`\u0041`, 1000) + `\udead`); got != 6000 {
		t.Errorf("at %d", got)
	}
}

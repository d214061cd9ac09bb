package suggest

import "strings"

func (c *completion) functions() {
	for _, f := range functionList() {
		if strings.HasPrefix(f.Text, strings.ToLower(c.prefix)) {
			f.Text = c.cased(f.Text)
			c.out = append(c.out, f)
		}
	}
}

func (c *completion) words(words []Candidate) {
	for _, w := range words {
		if strings.HasPrefix(w.Text, strings.ToUpper(c.prefix)) {
			w.Text = c.cased(strings.ToLower(w.Text))
			if c.upper() {
				w.Text = strings.ToUpper(w.Text)
			}
			c.out = append(c.out, w)
		}
	}
}

// cased returns a word in upper case if the typed prefix is in upper case.
func (c *completion) cased(word string) string {
	if c.prefix != "" && strings.ToUpper(c.prefix) == c.prefix && strings.ToLower(c.prefix) != c.prefix {
		return strings.ToUpper(word)
	}
	return word
}

// upper reports whether to write keywords in upper case: in the case of the typed prefix, else in that of the first
// word of the statement, else in upper case.
func (c *completion) upper() bool {
	for _, s := range []string{c.prefix, c.firstWord()} {
		if strings.ToLower(s) != strings.ToUpper(s) {
			return s == strings.ToUpper(s)
		}
	}
	return true
}

func (c *completion) firstWord() string {
	for _, t := range c.tokens[:c.before] {
		if t.word != "" && !t.quoted {
			return t.word
		}
	}
	return ""
}

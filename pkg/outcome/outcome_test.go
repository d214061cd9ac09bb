package outcome

import "testing"

func TestOfStatus(t *testing.T) {
	for status, want := range map[int]Outcome{
		101: Unknown, 200: Done, 201: Done, 204: Done, 300: Unknown, 301: Unknown, 302: Unknown,
		303: Unknown, 304: Unknown,
		307: Refused, 308: Refused, 400: Refused, 401: Refused, 404: Refused, 408: Unknown, 409: Refused,
		425: Refused, 429: Refused,
		500: Unknown, 501: Refused, 502: Unknown, 503: Unknown, 504: Unknown, 599: Unknown,
	} {
		if got := OfStatus(status); got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
	}
}

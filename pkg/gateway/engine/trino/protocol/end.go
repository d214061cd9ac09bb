package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/dig-cli/dig/internal/retry"
)

const (
	endedPause = 200 * time.Millisecond
	endedGrace = 500 * time.Millisecond // a commit that has begun is not interrupted
	endsItself = 5 * time.Second        // what runs has this long: most changes of a table are short, and made again
)

// End ends the statement of an id, and waits until it has ended. One that the cluster has forgotten has ended.
func (c *Client) End(ctx context.Context, id string) error {
	auth, err := c.credential()
	if err != nil {
		return err
	}
	at := c.base.JoinPath("/v1/query", id).String()
	for begun, told := time.Now(), false; ; {
		var about struct{ State string }
		known, err := c.about(ctx, auth, http.MethodGet, at, &about)
		switch {
		case err != nil || !known:
			return err
		case about.State == "FINISHED" || about.State == "FAILED":
			if !told {
				return nil
			}
			return retry.Sleep(ctx, endedGrace)
		}
		told = told || about.State != "RUNNING" && about.State != "FINISHING" || time.Since(begun) > endsItself
		if told {
			if _, err := c.about(ctx, auth, http.MethodDelete, at, nil); err != nil {
				return err
			}
		}
		if err := retry.Sleep(ctx, endedPause); err != nil {
			return err
		}
	}
}

// about sends a request about a statement and decodes the reply. known is false for one that is not known.
func (c *Client) about(ctx context.Context, auth func(*http.Request), method, at string, into any) (known bool,
	err error) {
	req, err := http.NewRequestWithContext(ctx, method, at, http.NoBody)
	if err != nil {
		return false, err
	}
	req.Header.Set("X-Trino-User", c.o.User)
	auth(req)
	resp, err := c.http.Do(req)
	if err != nil {
		return false, &UnreachableError{err}
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone:
		return false, nil
	case resp.StatusCode >= http.StatusMultipleChoices:
		return false, &UnreachableError{errors.New(resp.Status)}
	case into == nil:
		return true, nil
	}
	return true, json.NewDecoder(resp.Body).Decode(into)
}

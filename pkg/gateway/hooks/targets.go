package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/dig-cli/dig/internal/clip"
)

// maxOutput is how much of what a command says is logged.
const maxOutput = 500

// post sends the document to an address. Errors do not repeat it: it may contain a password.
func post(to *url.URL, version string) func(ctx context.Context, body []byte) error {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(ctx context.Context, body []byte) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), bytes.NewReader(body))
		if err != nil {
			return fmt.Errorf("%s cannot be called", to.Host)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("User-Agent", "dig/"+version)
		res, err := client.Do(req)
		if err != nil {
			var ue *url.Error
			if errors.As(err, &ue) {
				err = ue.Err
			}
			return fmt.Errorf("%s: %w", to.Host, err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10))
		if res.StatusCode < 200 || res.StatusCode > 299 {
			return fmt.Errorf("%s answered %s", to.Host, res.Status)
		}
		return nil
	}
}

// command runs a command by the shell, with the document as its input.
func command(text string) func(ctx context.Context, body []byte) error {
	return func(ctx context.Context, body []byte) error {
		c := shell(ctx, text)
		var said tail
		c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(body), &said, &said
		c.WaitDelay = time.Second // for what the command has started and left behind
		c.Env = os.Environ()
		err := c.Run()
		if errors.Is(err, exec.ErrWaitDelay) { // the command itself has succeeded
			return nil
		}
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("ended after %v", callTime)
		}
		if text := strings.TrimSpace(string(said)); err != nil && text != "" {
			err = fmt.Errorf("%w: %s", err, clip.Bytes(text, maxOutput))
		}
		return err
	}
}

// tail keeps the end of what is written.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	if *t = append(*t, p...); len(*t) > 2*maxOutput {
		*t = append((*t)[:0], (*t)[len(*t)-maxOutput:]...)
	}
	return len(p), nil
}

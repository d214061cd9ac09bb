package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/dig-cli/dig/pkg/gateway/post"
)

// maxOutput is how much of the end of what a command says is logged.
const maxOutput = 500

// address sends the document to an address.
func address(to, version string) func(ctx context.Context, body []byte) error {
	client, header := post.Client(nil), http.Header{"User-Agent": {"dig/" + version}}
	return func(ctx context.Context, body []byte) error {
		return post.JSON(ctx, client, to, header, body)
	}
}

// command runs a command by the shell, with the document as its input.
func command(text string) func(ctx context.Context, body []byte) error {
	return func(ctx context.Context, body []byte) error {
		c := shell(ctx, text)
		var said tail
		c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(body), &said, &said
		c.WaitDelay = time.Second // for what the command has started and left behind
		err := c.Run()
		if errors.Is(err, exec.ErrWaitDelay) { // the command itself has succeeded
			return nil
		}
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("ended after %v", callTime)
		}
		if text := strings.TrimSpace(strings.ToValidUTF8(string(said), "")); err != nil && text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return err
	}
}

// tail keeps the end of what is written.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = append((*t)[:0], (*t)[max(0, len(*t)-maxOutput):]...)
	return len(p), nil
}

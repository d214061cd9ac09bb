package files

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/google/uuid"
)

// Bucket is a part of a bucket of an object store: the objects below a prefix.
type Bucket struct {
	name, prefix, endpoint string
	client                 *s3.Client
	partSize               int
}

// Options say which bucket, and how it is reached.
type Options struct {
	Address  string // s3://BUCKET/PREFIX
	Endpoint string // of another service than that of AWS; "" for the variables of AWS
	Getenv   func(string) string
	Silence  time.Duration // longest time without a byte from or to the store; 0 for one minute
	PartSize int           // of an upload; 0 for 8 MiB, of which a file may have 10,000
}

// OpenBucket checks the addresses. It asks the store for nothing.
func OpenBucket(o Options) (*Bucket, error) {
	u, err := url.Parse(o.Address)
	if err != nil || u.Scheme != "s3" || u.Hostname() == "" || u.Port() != "" || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("not an address such as s3://BUCKET/PREFIX") // without the text, which may have a secret
	}
	if u.User != nil {
		return nil, errors.New("the address has a credential, which all users of this machine can read")
	}
	b := &Bucket{name: u.Hostname(), prefix: strings.Trim(u.Path, "/"),
		endpoint: cmp.Or(o.Endpoint, o.Getenv("AWS_ENDPOINT_URL_S3"), o.Getenv("AWS_ENDPOINT_URL")),
		partSize: cmp.Or(o.PartSize, 8<<20)}
	so := s3.Options{Region: cmp.Or(o.Getenv("AWS_REGION"), o.Getenv("AWS_DEFAULT_REGION"), "us-east-1"),
		Credentials: credentialsOf(o.Getenv), HTTPClient: httpClient(cmp.Or(o.Silence, time.Minute)),
		// Other stores than that of AWS refuse checksums in trailers. The signature has one of each body.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired}
	if b.endpoint != "" {
		e, err := url.Parse(b.endpoint)
		if err != nil || e.Scheme != "http" && e.Scheme != "https" || e.Host == "" || e.User != nil ||
			e.RawQuery != "" {
			return nil, errors.New("the endpoint is not an address such as https://minio.example.com:9000")
		}
		so.BaseEndpoint, so.UsePathStyle = &b.endpoint, true
	}
	b.client = s3.New(so)
	return b, nil
}

// String is the address, with the endpoint of another service than that of AWS.
func (b *Bucket) String() string {
	if b.endpoint == "" {
		return b.Address()
	}
	return b.Address() + " at " + b.endpoint
}

// Address is s3://BUCKET/PREFIX.
func (b *Bucket) Address() string { return strings.TrimRight("s3://"+b.name+"/"+b.prefix, "/") }

func (b *Bucket) key(name string) string { return strings.TrimLeft(b.prefix+"/"+name, "/") }

// httpClient gives up a connection on which nothing moves.
func httpClient(silence time.Duration) *http.Client {
	d := &net.Dialer{Timeout: min(silence, 10*time.Second)}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: silence,
		MaxIdleConnsPerHost: 8, IdleConnTimeout: silence,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := d.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &moving{c, silence}, nil
		}}}
}

// moving is a connection with a limit for each read and write. Both extend both: the reply is awaited while the request
// is sent.
type moving struct {
	net.Conn
	silence time.Duration
}

func (c *moving) extend() error { return c.SetDeadline(time.Now().Add(c.silence)) }

func (c *moving) Read(p []byte) (int, error) {
	if err := c.extend(); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *moving) Write(p []byte) (int, error) {
	if err := c.extend(); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// Error is the failure of a call to the store.
type Error struct {
	Bucket string
	Away   bool // a later call may succeed
	text   string
	err    error
}

func (e *Error) Error() string { return e.Bucket + ": " + e.text }
func (e *Error) Unwrap() error { return e.err }

// failed describes the failure of a call by what the store says, without the request.
func (b *Bucket) failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Bucket: b.String(), Away: true, err: err}
	var why string
	var reply *smithyhttp.ResponseError
	var said smithy.APIError
	var call *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		why = "no answer in time"
	case errors.As(err, &call): // without the address
		why = call.Err.Error()
	case errors.As(err, &reply):
		status := reply.HTTPStatusCode()
		e.Away = status == 408 || status == 429 || status >= 500 || status < 300 // a reply that was cut
		why = fmt.Sprintf("status %d %s", status, http.StatusText(status))
		if errors.As(err, &said) {
			why = fmt.Sprintf("%s (status %d)", said.ErrorCode(), status)
			if text := said.ErrorMessage(); text != "" {
				why += ": " + text
			}
			e.Away = e.Away || said.ErrorCode() == "SlowDown" || said.ErrorCode() == "RequestTimeout"
		}
		if status == 404 && (said == nil || said.ErrorCode() != "NoSuchBucket") {
			e.err = errors.Join(fs.ErrNotExist, err)
		} else if status == 412 || status == 409 { // the latter while another one writes it
			e.err = errors.Join(fs.ErrExist, err)
		}
	default:
		var none *credentialError
		if errors.As(err, &none) {
			why, e.Away = none.Error(), false
			break
		}
		why = err.Error()
	}
	e.text = doing + ": " + why
	return e
}

// Try writes, reads, lists and removes an object, for a gateway that begins.
func (b *Bucket) Try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	name := "dig-check-" + uuid.NewString()
	want := []byte(name)
	if err := b.put(ctx, name, want, ""); err != nil {
		return err
	}
	have, err := b.Read(ctx, name)
	if err == nil && !bytes.Equal(have, want) {
		err = &Error{Bucket: b.String(), text: "an object is not what was written"}
	}
	if err == nil {
		listed := false
		err = b.list(ctx, name, func(key string) error { listed = listed || key == b.key(name); return nil })
		if err == nil && !listed {
			err = &Error{Bucket: b.String(), text: "an object that was written is not listed"}
		}
	}
	if err == nil {
		err = b.uploads(ctx, b.key(name), func(string, string) error { return nil })
	}
	return errors.Join(err, b.remove(ctx, b.key(name)))
}

// Read returns a small object.
func (b *Bucket) Read(ctx context.Context, name string) ([]byte, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: aws.String(b.key(name))})
	if err != nil {
		return nil, b.failed("reading "+b.key(name), err)
	}
	defer out.Body.Close()
	data, err := io.ReadAll(io.LimitReader(out.Body, 1<<20))
	return data, b.failed("reading "+b.key(name), err)
}

// Publish writes a small object, unless there is one: fs.ErrExist.
func (b *Bucket) Publish(ctx context.Context, name string, data []byte) error {
	err := b.put(ctx, name, data, "*")
	var said smithy.APIError
	if errors.As(err, &said) && said.ErrorCode() == "NotImplemented" { // a store without conditions
		if _, err = b.Read(ctx, name); err == nil {
			return fs.ErrExist
		}
		return b.put(ctx, name, data, "")
	}
	return err
}

func (b *Bucket) put(ctx context.Context, name string, data []byte, unless string) error {
	in := &s3.PutObjectInput{Bucket: &b.name, Key: aws.String(b.key(name)), Body: bytes.NewReader(data)}
	if unless != "" {
		in.IfNoneMatch = &unless
	}
	_, err := b.client.PutObject(ctx, in)
	return b.failed("writing "+b.key(name), err)
}

func (b *Bucket) remove(ctx context.Context, key string) error {
	_, err := b.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: &key})
	return gone(b.failed("removing "+key, err))
}

// list calls do for the key of each object below a name.
func (b *Bucket) list(ctx context.Context, name string, do func(key string) error) error {
	in := &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: aws.String(b.key(name))}
	for {
		out, err := b.client.ListObjectsV2(ctx, in)
		if err != nil {
			return b.failed("listing", err)
		}
		for _, o := range out.Contents {
			if err := do(aws.ToString(o.Key)); err != nil {
				return err
			}
		}
		if !aws.ToBool(out.IsTruncated) || aws.ToString(out.NextContinuationToken) == "" {
			return nil
		}
		in.ContinuationToken = out.NextContinuationToken
	}
}

// uploads calls do for each upload that was begun below a key.
func (b *Bucket) uploads(ctx context.Context, key string, do func(key, upload string) error) error {
	in := &s3.ListMultipartUploadsInput{Bucket: &b.name, Prefix: &key}
	for {
		out, err := b.client.ListMultipartUploads(ctx, in)
		if err != nil {
			return b.failed("listing uploads", err)
		}
		for _, u := range out.Uploads {
			if err := do(aws.ToString(u.Key), aws.ToString(u.UploadId)); err != nil {
				return err
			}
		}
		if !aws.ToBool(out.IsTruncated) {
			return nil
		}
		in.KeyMarker, in.UploadIdMarker = out.NextKeyMarker, out.NextUploadIdMarker
	}
}

// abort ends an upload, whose parts the store then removes.
func (b *Bucket) abort(ctx context.Context, key, upload string) error {
	_, err := b.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &b.name, Key: &key,
		UploadId: &upload})
	return gone(b.failed("removing an upload of "+key, err))
}

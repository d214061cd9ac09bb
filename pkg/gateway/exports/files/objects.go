package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Objects are the files of one state in a bucket, which has a folder of its own there.
type Objects struct {
	b      *Bucket
	folder string
}

// Of returns the files of a state, by its id.
func (b *Bucket) Of(state string) *Objects { return &Objects{b, "exports/" + state + "/"} }

func (o *Objects) key(id string) string { return o.b.key(o.folder + id) }

// cleanup is how long a removal may take, for which others wait. Sweep removes what is left.
const cleanup = 10 * time.Second

func (o *Objects) Remove(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, cleanup)
	defer cancel()
	return errors.Join(o.b.uploads(ctx, o.key(id), func(key, upload string) error {
		if key != o.key(id) {
			return nil
		}
		return o.b.abort(ctx, key, upload)
	}), o.b.remove(ctx, o.key(id)))
}

// List reports the ids of all that are complete.
func (o *Objects) List(ctx context.Context) (map[string]bool, error) {
	ids := map[string]bool{}
	return ids, o.b.list(ctx, o.folder, func(key string) error { ids[path.Base(key)] = true; return nil })
}

func (o *Objects) Sweep(ctx context.Context, live func(context.Context) (map[string]bool, error)) error {
	var keys []string
	if err := o.b.list(ctx, o.folder, func(key string) error { keys = append(keys, key); return nil }); err != nil {
		return err
	}
	begun := map[string][]string{} // the uploads of a key
	if err := o.b.uploads(ctx, o.b.key(o.folder), func(key, upload string) error {
		begun[key] = append(begun[key], upload)
		return nil
	}); err != nil {
		return err
	}
	ended, err := live(ctx)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if _, live := ended[path.Base(key)]; !live {
			if err := o.b.remove(ctx, key); err != nil {
				return err
			}
		}
	}
	for key, all := range begun {
		if done, live := ended[path.Base(key)]; live && !done {
			continue
		}
		for _, upload := range all {
			if err := o.b.abort(ctx, key, upload); err != nil {
				return err
			}
		}
	}
	return nil
}

// upload writes an object. One that is larger than a part is sent in parts while it is written, and seen by nobody
// before the store has put them together.
type upload struct {
	b        *Bucket
	ctx      context.Context
	key, id  string // id of the upload, "" before the first part
	buf      []byte
	parts    []types.CompletedPart
	sent     int64
	finished bool
}

func (o *Objects) Create(ctx context.Context, id string) (File, error) {
	return &upload{b: o.b, ctx: ctx, key: o.key(id)}, nil
}

func (u *upload) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		k := min(len(p), u.b.partSize-len(u.buf))
		if len(u.buf)+k > cap(u.buf) && len(u.buf)+k > small { // it will be full: grown at once, not piece by piece
			u.buf = append(make([]byte, 0, u.b.partSize), u.buf...)
		}
		u.buf, p = append(u.buf, p[:k]...), p[k:]
		if len(u.buf) == u.b.partSize {
			if err := u.part(u.ctx); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

// small is the size of a file that grows as it is written.
const small = 512 << 10

// maxParts is the number of parts that a store allows.
const maxParts = 10_000

// part sends the buffer as the next part.
func (u *upload) part(ctx context.Context) error {
	if len(u.parts) == maxParts {
		return fmt.Errorf("%s: the file is larger than %d parts of %d bytes", u.b, maxParts, u.b.partSize)
	}
	if u.id == "" {
		out, err := u.b.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &u.b.name,
			Key: &u.key})
		if err != nil {
			return u.b.failed("writing "+u.key, err)
		}
		u.id = aws.ToString(out.UploadId)
	}
	number := aws.Int32(int32(len(u.parts) + 1))
	out, err := u.b.client.UploadPart(ctx, &s3.UploadPartInput{Bucket: &u.b.name, Key: &u.key, UploadId: &u.id,
		PartNumber: number, Body: bytes.NewReader(u.buf)})
	if err != nil {
		return u.b.failed("writing "+u.key, err)
	}
	u.parts = append(u.parts, types.CompletedPart{ETag: out.ETag, PartNumber: number})
	u.sent, u.buf = u.sent+int64(len(u.buf)), u.buf[:0]
	return nil
}

func (u *upload) Commit(ctx context.Context) error {
	if u.id == "" {
		_, err := u.b.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &u.b.name, Key: &u.key,
			Body: bytes.NewReader(u.buf)})
		return u.b.failed("writing "+u.key, err)
	}
	if len(u.buf) > 0 {
		if err := u.part(ctx); err != nil {
			return err
		}
	}
	_, err := u.b.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{Bucket: &u.b.name, Key: &u.key,
		UploadId: &u.id, MultipartUpload: &types.CompletedMultipartUpload{Parts: u.parts}})
	if err != nil {
		// The reply may be lost, and the upload unknown when it is asked for again.
		head, lost := u.b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &u.b.name, Key: &u.key})
		if lost != nil || aws.ToInt64(head.ContentLength) != u.sent {
			return u.b.failed("writing "+u.key, err)
		}
	}
	u.finished = true
	return nil
}

func (u *upload) Abort() error {
	u.buf = nil
	if u.id == "" || u.finished {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(u.ctx), cleanup)
	defer cancel()
	return u.b.abort(ctx, u.key, u.id)
}

// object reads an object from any place of it, and again from where a reply was cut.
type object struct {
	b         *Bucket
	ctx       context.Context
	key, etag string
	size, at  int64
	made      time.Time
	body      io.ReadCloser
	cut       int // replies that were cut without a byte
}

func (o *Objects) Open(ctx context.Context, id string) (Content, error) {
	out, err := o.b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &o.b.name, Key: aws.String(o.key(id))})
	if err != nil {
		return nil, o.b.failed("reading "+o.key(id), err)
	}
	return &object{b: o.b, ctx: ctx, key: o.key(id), etag: aws.ToString(out.ETag),
		size: aws.ToInt64(out.ContentLength), made: aws.ToTime(out.LastModified)}, nil
}

func (f *object) Made() time.Time { return f.made }

func (f *object) Read(p []byte) (int, error) {
	for {
		if f.at >= f.size {
			return 0, io.EOF
		}
		if f.body == nil {
			in := &s3.GetObjectInput{Bucket: &f.b.name, Key: &f.key, Range: aws.String(fmt.Sprintf("bytes=%d-", f.at))}
			if f.etag != "" {
				in.IfMatch = &f.etag
			}
			out, err := f.b.client.GetObject(f.ctx, in)
			if err != nil {
				return 0, f.b.failed("reading "+f.key, err)
			}
			if f.at > 0 && !strings.HasPrefix(aws.ToString(out.ContentRange), fmt.Sprintf("bytes %d-", f.at)) {
				out.Body.Close()
				return 0, &Error{Bucket: f.b.String(), text: "reading " + f.key + ": another part of it is sent"}
			}
			f.body = out.Body
		}
		n, err := f.body.Read(p[:min(int64(len(p)), f.size-f.at)])
		f.at += int64(n)
		if n > 0 {
			f.cut = 0
		}
		if err == nil {
			return n, nil
		}
		f.close()
		if n > 0 || f.at >= f.size {
			return n, nil
		}
		if f.cut++; f.cut > 3 {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, f.b.failed("reading "+f.key, err)
		}
	}
}

func (f *object) close() {
	if f.body != nil {
		f.body.Close()
		f.body = nil
	}
}

func (f *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return f.at, errors.New("a place before the file")
	}
	if offset != f.at {
		f.close()
	}
	f.at = offset
	return offset, nil
}

func (f *object) Close() error { f.close(); return nil }

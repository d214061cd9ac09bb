package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
)

// credentialError is the lack of a credential.
type credentialError struct{ text string }

func (e *credentialError) Error() string { return e.text }

// credentialsOf finds a credential where the tools of AWS look for one: variables, a profile, the container, the
// machine. The package config of the SDK has more places, and its initialization costs every command a millisecond.
func credentialsOf(getenv func(string) string) aws.CredentialsProvider {
	return aws.NewCredentialsCache(aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
		if id, secret := getenv("AWS_ACCESS_KEY_ID"), getenv("AWS_SECRET_ACCESS_KEY"); id != "" || secret != "" {
			if id == "" || secret == "" {
				return aws.Credentials{}, &credentialError{
					"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set together or not at all"}
			}
			return aws.Credentials{AccessKeyID: id, SecretAccessKey: secret,
				SessionToken: getenv("AWS_SESSION_TOKEN")}, nil
		}
		c, err := profile(getenv)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || getenv("AWS_PROFILE") != "" ||
			getenv("AWS_SHARED_CREDENTIALS_FILE") != "" {
			return c, err
		}
		if getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "" {
			return c, &credentialError{"AWS_WEB_IDENTITY_TOKEN_FILE is not supported: use the Pod Identity of EKS, " +
				"variables or a file of credentials"}
		}
		if at := container(getenv); at != "" {
			return endpointcreds.New(at, func(o *endpointcreds.Options) {
				o.AuthorizationToken = getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN")
				if file := getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); file != "" {
					o.AuthorizationTokenProvider = endpointcreds.TokenProviderFunc(func() (string, error) {
						token, err := os.ReadFile(file)
						return strings.TrimSpace(string(token)), err
					})
				}
			}).Retrieve(ctx)
		}
		if !strings.EqualFold(getenv("AWS_EC2_METADATA_DISABLED"), "true") {
			ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
			defer cancel()
			if c, err := ec2rolecreds.New().Retrieve(ctx); err == nil {
				return c, nil
			}
		}
		return c, &credentialError{"there is no credential: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a " +
			"profile in the file of AWS_SHARED_CREDENTIALS_FILE"}
	}))
}

// container is the address of the credentials of a container, "" for none.
func container(getenv func(string) string) string {
	if path := getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); path != "" {
		return "http://169.254.170.2" + path
	}
	return getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI")
}

// profile reads a profile of the file of credentials, which may change: it is read again after a minute.
func profile(getenv func(string) string) (c aws.Credentials, err error) {
	file := getenv("AWS_SHARED_CREDENTIALS_FILE")
	if home := cmp.Or(getenv("HOME"), getenv("USERPROFILE")); file == "" && home != "" {
		file = filepath.Join(home, ".aws", "credentials")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		var e *fs.PathError
		if errors.As(err, &e) {
			err = fmt.Errorf("%w: %w", &credentialError{"the file of credentials " + file + ": " + e.Err.Error()}, err)
		}
		return c, err
	}
	name, section := cmp.Or(getenv("AWS_PROFILE"), "default"), ""
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSpace(strings.TrimSuffix(head, "]"))
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if section != name {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "aws_access_key_id":
			c.AccessKeyID = value
		case "aws_secret_access_key":
			c.SecretAccessKey = value
		case "aws_session_token":
			c.SessionToken = value
		}
	}
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		return aws.Credentials{}, &credentialError{"the file of credentials " + file + " has no aws_access_key_id " +
			"and aws_secret_access_key for the profile " + name}
	}
	c.CanExpire, c.Expires = true, time.Now().Add(time.Minute)
	return c, nil
}

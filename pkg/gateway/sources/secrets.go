package sources

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/dig-cli/dig/internal/tempfile"
	"github.com/dig-cli/dig/pkg/gateway/connector"
	"github.com/dig-cli/dig/pkg/gateway/damage"
	"github.com/dig-cli/dig/pkg/gateway/store"
)

// Vault seals credentials with AES-256-GCM under a random key in the data directory, in secret.key (mode 0600). A
// sealed credential can be opened only for the connection it was sealed for. A check value of the key is in the store,
// so that nothing is sealed with another one, and a lost one is not replaced while credentials depend on it.
type Vault struct {
	path     string
	known    Known
	ReadOnly bool // a missing key is created in memory only
	once     sync.Mutex
	key      []byte // set with aead
	aead     cipher.AEAD
}

// Known is what the store knows about the key.
type Known interface {
	SecretCheck(ctx context.Context) (string, error)
	SetSecretCheck(ctx context.Context, former, value string) (string, error)
	SealedCredentials(ctx context.Context) ([]store.Sealed, error)
}

const (
	secretKeySize = 32
	checkPurpose  = "check value"
	// restoreKey is the remedy for a key that is lost or damaged.
	restoreKey = "restore secret.key from a backup, or everything with " + damage.Restore + "; without one, " +
		"`dig gateway reset --key` makes another, and the credential of each connection must be given again " +
		"(`dig connection update`)"
)

// NewVault returns the vault of a data directory. It reads the key when it is first needed.
func NewVault(dir string, known Known) *Vault {
	return &Vault{path: filepath.Join(dir, "secret.key"), known: known}
}

// Derive returns a key for a purpose. It is valid as long as secret.key, which consists of 32 random bytes in a form
// that no connector reads.
func (v *Vault) Derive(purpose string) ([]byte, error) {
	if _, err := v.open(true); err != nil {
		return nil, err
	}
	return hkdf.Expand(sha256.New, v.key, purpose, sha256.Size)
}

// Check fails if the key is lost or damaged. It changes nothing.
func (v *Vault) Check() error {
	_, err := v.open(false)
	return err
}

// open returns the cipher. With create, a key that nothing depends on is created; otherwise the result is nil where no
// key was needed yet.
func (v *Vault) open(create bool) (cipher.AEAD, error) {
	v.once.Lock()
	defer v.once.Unlock()
	if v.aead != nil {
		return v.aead, nil
	}
	ctx := context.Background()
	check, err := v.known.SecretCheck(ctx)
	if err != nil {
		return nil, err
	}
	sealed, err := v.known.SealedCredentials(ctx)
	if err != nil {
		return nil, err
	}
	key, err := v.read()
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, damage.New(err, restoreKey, "the file %s may not be read by this user", v.path)
	case missing && len(sealed) > 0:
		return nil, damage.New(nil, restoreKey, "the file %s is missing: stored credentials cannot be read", v.path)
	case missing && !create:
		return nil, nil
	case missing:
		key, err = v.create()
	}
	if err != nil {
		return nil, err
	}
	if len(key) != secretKeySize {
		return nil, damage.New(nil, restoreKey, "the file %s is damaged: it does not have %d bytes",
			v.path, secretKeySize)
	}
	aead, own, err := ciphers(key)
	if err != nil {
		return nil, err
	}
	if own != check && !missing {
		// a directory of an earlier version has no check value
		fits := check == "" && slices.ContainsFunc(sealed, func(c store.Sealed) bool { return opens(aead, c) })
		if !fits && len(sealed) > 0 {
			return nil, damage.New(nil, restoreKey, "the file %s is not the key that the stored credentials were "+
				"sealed with: it is damaged, or was replaced", v.path)
		}
	}
	if own != check && create && !v.ReadOnly {
		if now, err := v.known.SetSecretCheck(ctx, check, own); err != nil {
			return nil, err
		} else if now != own {
			return nil, damage.New(nil, restoreKey, "the file %s was replaced by another process", v.path)
		}
	}
	v.key, v.aead = key, aead
	return aead, nil
}

// read reads the key, of anything longer only the first bytes.
func (v *Vault) read() ([]byte, error) {
	switch st, err := os.Stat(v.path); {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, damage.New(nil, restoreKey, "the file %s is not a file", v.path)
	}
	f, err := os.Open(v.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, secretKeySize+1))
}

// ciphers returns the cipher of a key, and its check value.
func ciphers(key []byte) (cipher.AEAD, string, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, "", err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, "", err
	}
	check, err := hkdf.Expand(sha256.New, key, checkPurpose, sha256.Size/2)
	return aead, hex.EncodeToString(check), err
}

func opens(aead cipher.AEAD, c store.Sealed) bool {
	n := aead.NonceSize()
	if len(c.Secret) < n {
		return false
	}
	_, err := aead.Open(nil, c.Secret[:n], c.Secret[n:], []byte(c.ID))
	return err == nil
}

// Unopened lists the credentials that the key does not open. It changes nothing.
func (v *Vault) Unopened(ctx context.Context) ([]store.Sealed, error) {
	aead, err := v.open(false)
	if err != nil || aead == nil {
		return nil, err
	}
	sealed, err := v.known.SealedCredentials(ctx)
	return slices.DeleteFunc(sealed, func(c store.Sealed) bool { return opens(aead, c) }), err
}

// CopyTo stores the key that Unopened has read in another data directory. It returns false if there is none.
func (v *Vault) CopyTo(dir string) (bool, error) {
	if v.aead == nil {
		return false, nil
	}
	return true, tempfile.Write(filepath.Join(dir, "secret.key"), v.key)
}

// Renew replaces the key by a new one. What was sealed with the former one cannot be opened any more.
func (v *Vault) Renew() error {
	v.once.Lock()
	defer v.once.Unlock()
	ctx := context.Background()
	check, err := v.known.SecretCheck(ctx)
	if err != nil {
		return err
	}
	key := make([]byte, secretKeySize)
	rand.Read(key)
	aead, own, err := ciphers(key)
	if err != nil {
		return err
	}
	if err := tempfile.Write(v.path, key); err != nil {
		return err
	}
	if _, err := v.known.SetSecretCheck(ctx, check, own); err != nil {
		return err
	}
	v.key, v.aead = key, aead
	return nil
}

// create creates the key file. If several processes try concurrently, the first to publish its file wins.
func (v *Vault) create() ([]byte, error) {
	key := make([]byte, secretKeySize)
	rand.Read(key)
	if v.ReadOnly {
		return key, nil
	}
	f, err := os.CreateTemp(filepath.Dir(v.path), VaultTemp+"*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	if err := tempfile.Publish(f.Name(), v.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return v.read()
}

func (v *Vault) Seal(connection string, c connector.Credential) ([]byte, error) {
	aead, err := v.open(true)
	if err != nil {
		return nil, err
	}
	// what is sealed with a lost key is lost
	if now, err := v.read(); !v.ReadOnly && (err != nil || !bytes.Equal(now, v.key)) {
		return nil, damage.New(err, restoreKey, "the file %s was removed or replaced while this process used it",
			v.path)
	}
	plain, err := json.Marshal(map[string]any(c))
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	return aead.Seal(nonce, nonce, plain, []byte(connection)), nil
}

func (v *Vault) Unseal(connection string, sealed []byte) (connector.Credential, error) {
	aead, err := v.open(true)
	if err != nil {
		return nil, err
	}
	n := aead.NonceSize()
	if len(sealed) < n {
		return nil, Unreadable
	}
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], []byte(connection))
	if err != nil {
		return nil, Unreadable
	}
	var c connector.Credential
	return c, json.Unmarshal(plain, &c)
}

// Unreadable is the error for a credential that was sealed with a former key, or was changed since.
var Unreadable = &damage.Error{
	Problem: "the stored credential cannot be opened with secret.key: it was sealed with a former key, or is damaged",
	Remedy:  "`dig connection update` stores it again"}

const (
	VaultTemp = ".secret-"
)

package sources

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/dig-cli/dig/pkg/gateway/connector"
)

// Vault seals credentials with AES-256-GCM under a random key in the data directory, in secret.key (mode 0600). A
// sealed credential can be opened only for the connection it was sealed for.
type Vault struct {
	path     string
	ReadOnly bool // a missing key is created in memory only
	once     sync.Mutex
	key      []byte // set with aead
	aead     cipher.AEAD
}

const secretKeySize = 32

func NewVault(dir string) *Vault { return &Vault{path: filepath.Join(dir, "secret.key")} }

// Derive returns a key for a purpose. It is valid as long as secret.key, which consists of 32 random bytes in a form
// that no connector reads.
func (v *Vault) Derive(purpose string) ([]byte, error) {
	if _, err := v.open(true); err != nil {
		return nil, err
	}
	return hkdf.Expand(sha256.New, v.key, purpose, sha256.Size)
}

func (v *Vault) open(create bool) (cipher.AEAD, error) {
	v.once.Lock()
	defer v.once.Unlock()
	if v.aead != nil {
		return v.aead, nil
	}
	key, err := os.ReadFile(v.path)
	if errors.Is(err, fs.ErrNotExist) && create {
		key, err = v.create()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the file secret.key is missing from the data directory: stored credentials cannot be read; update the connections to store them again")
	}
	if err != nil {
		return nil, err
	}
	if len(key) != secretKeySize {
		return nil, fmt.Errorf("the file secret.key in the data directory has %d bytes, not %d", len(key), secretKeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	v.key = key
	v.aead, err = cipher.NewGCM(block)
	return v.aead, err
}

// create creates the key file. If several processes try concurrently, the first to link its file wins.
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
	if err := os.Link(f.Name(), v.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(v.path)
}

func (v *Vault) Seal(connection string, c connector.Credential) ([]byte, error) {
	aead, err := v.open(true)
	if err != nil {
		return nil, err
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
	aead, err := v.open(false)
	if err != nil {
		return nil, err
	}
	n := aead.NonceSize()
	if len(sealed) < n {
		return nil, errors.New("the stored credential is corrupt")
	}
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], []byte(connection))
	if err != nil {
		return nil, errors.New("the stored credential cannot be decrypted with secret.key: it is corrupt, or the key has changed")
	}
	var c connector.Credential
	return c, json.Unmarshal(plain, &c)
}

const (
	VaultTemp = ".secret-"
)

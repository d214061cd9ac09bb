package config

import (
	"fmt"
	"path/filepath"
	"runtime"
)

// ConfigDir returns the directory of config.yaml and credentials.yaml: DIG_CONFIG_DIR, else $XDG_CONFIG_HOME/dig, else
// ~/.config/dig (Linux), ~/Library/Application Support/dig (macOS) or %AppData%\dig (Windows). It is not created. The
// error names the missing variable.
func ConfigDir(getenv func(string) string) (string, error) {
	return userDir(runtime.GOOS, getenv, "DIG_CONFIG_DIR", "XDG_CONFIG_HOME", "AppData", ".config")
}

// DataDir returns the directory of the local zone: DIG_DATA_DIR, else $XDG_DATA_HOME/dig, else ~/.local/share/dig
// (Linux), ~/Library/Application Support/dig/data (macOS) or %LocalAppData%\dig\data (Windows). It is not created.
func DataDir(getenv func(string) string) (string, error) {
	dir, err := userDir(runtime.GOOS, getenv, "DIG_DATA_DIR", "XDG_DATA_HOME", "LocalAppData",
		filepath.Join(".local", "share"))
	if err != nil {
		return "", err
	}
	// macOS has one directory for both kinds; the data is in a subdirectory.
	if (runtime.GOOS == "darwin" || runtime.GOOS == "windows") && getenv("DIG_DATA_DIR") == "" &&
		!filepath.IsAbs(getenv("XDG_DATA_HOME")) {
		dir = filepath.Join(dir, "data")
	}
	return dir, nil
}

// CacheDir returns the directory for reproducible data: DIG_CACHE_DIR, else $XDG_CACHE_HOME/dig, else ~/.cache/dig
// (Linux), ~/Library/Caches/dig (macOS) or %LocalAppData%\dig\cache (Windows). It is not created.
func CacheDir(getenv func(string) string) (string, error) {
	dir, err := userDir(runtime.GOOS, getenv, "DIG_CACHE_DIR", "XDG_CACHE_HOME", "LocalAppData", ".cache")
	if err != nil || getenv("DIG_CACHE_DIR") != "" || filepath.IsAbs(getenv("XDG_CACHE_HOME")) {
		return dir, err
	}
	switch runtime.GOOS {
	case "darwin":
		dir = filepath.Join(homeDir(runtime.GOOS, getenv), "Library", "Caches", "dig")
	case "windows":
		dir = filepath.Join(dir, "cache")
	}
	return dir, nil
}

// StateDir returns the directory for state that persists between runs and cannot be reproduced, such as which file was
// imported where: DIG_STATE_DIR, else $XDG_STATE_HOME/dig, else ~/.local/state/dig (Linux), ~/Library/Application
// Support/dig/state (macOS) or %LocalAppData%\dig\state (Windows). It is not created.
func StateDir(getenv func(string) string) (string, error) {
	dir, err := userDir(runtime.GOOS, getenv, "DIG_STATE_DIR", "XDG_STATE_HOME", "LocalAppData",
		filepath.Join(".local", "state"))
	if err != nil {
		return "", err
	}
	if (runtime.GOOS == "darwin" || runtime.GOOS == "windows") && getenv("DIG_STATE_DIR") == "" &&
		!filepath.IsAbs(getenv("XDG_STATE_HOME")) {
		dir = filepath.Join(dir, "state")
	}
	return dir, nil
}

func userDir(goos string, getenv func(string) string, override, xdg, windows, unix string) (string, error) {
	if v := getenv(override); v != "" {
		abs, err := filepath.Abs(v)
		if err != nil {
			return "", &Error{Kind: ErrUsage, Field: "environment " + override, Msg: "cannot be made absolute",
				cause: err}
		}
		return abs, nil
	}
	// The XDG specification says that a relative path is invalid and must be ignored.
	if v := getenv(xdg); filepath.IsAbs(v) {
		return filepath.Join(v, "dig"), nil
	}
	if goos == "windows" {
		if v := getenv(windows); v != "" {
			return filepath.Join(v, "dig"), nil
		}
		return "", noDir(override, windows)
	}
	home := homeDir(goos, getenv)
	if home == "" {
		return "", noDir(override, "HOME")
	}
	if goos == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "dig"), nil
	}
	return filepath.Join(home, unix, "dig"), nil
}

func noDir(override, missing string) error {
	return &Error{Kind: ErrUsage, Field: "environment " + missing,
		Msg:  "is not set, so there is no directory for files",
		hint: fmt.Sprintf("set %s to a directory", override)}
}

func homeDir(goos string, getenv func(string) string) string {
	if goos == "windows" {
		return getenv("USERPROFILE")
	}
	return getenv("HOME")
}

// OwnDirs are the directories with this program's own files: whole are those of which everything is its own (data,
// state, cache), settings the one of settings and keys, which may have other files. What is given to others, such as
// the files that connections read, is in none.
func OwnDirs(getenv func(string) string) (whole, settings []string) {
	for _, of := range []func(func(string) string) (string, error){DataDir, StateDir, CacheDir} {
		if dir, err := of(getenv); err == nil {
			whole = append(whole, dir)
		}
	}
	if dir, err := ConfigDir(getenv); err == nil {
		settings = append(settings, dir)
	}
	return whole, settings
}

package config

import (
	"path/filepath"
	"runtime"
	"slices"

	"go.yaml.in/yaml/v3"
)

// ProjectFile is the name of the file that sets defaults for a directory and its subdirectories.
const ProjectFile = ".dig.yaml"

// findProjectFile searches for ProjectFile in dir and its parents, up to and including the home directory, or the root
// if dir is not below home. It returns "" if there is none.
func findProjectFile(dir, home string) (path string, data []byte, err error) {
	if dir == "" {
		return "", nil, nil
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", nil, &Error{Kind: ErrUsage, File: dir, Msg: "cannot be made absolute", cause: err}
	}
	if home != "" {
		home = filepath.Clean(home)
	}
	for {
		path = filepath.Join(dir, ProjectFile)
		data, err = readBounded(path)
		if err != nil || data != nil {
			return path, data, err
		}
		parent := filepath.Dir(dir)
		if dir == home || parent == dir {
			return "", nil, nil
		}
		dir = parent
	}
}

// readProjectFile returns the settings of a project file. The file is part of a repository and is not trusted: it may
// set zone and address but must not contain a key, and Settings.NeedKey withholds keys from an address that was set
// only by such a file.
func readProjectFile(path string, data []byte) (map[string]string, error) {
	_, root, err := parseMapping(path, data)
	if err != nil {
		return nil, err
	}
	known := projectFields()
	out := map[string]string{}
	err = pairs(path, root, func(name, value *yaml.Node) error {
		if !slices.Contains(known, name.Value) {
			if isKeyName(name.Value) {
				return &Error{Kind: ErrUsage, File: path, Line: name.Line, Field: name.Value,
					Msg: "a project file must not hold a key",
					hint: "remove the line, revoke the key if the file was shared, and store keys with dig auth " +
						"login, or in DIG_API_KEY"}
			}
			if slices.Contains(files(), name.Value) {
				return &Error{Kind: ErrUsage, File: path, Line: name.Line, Field: name.Value,
					Msg:  "a project file must not choose certificates",
					hint: "set it in a profile (dig config set " + name.Value + "=FILE) or in " + EnvName(name.Value)}
			}
			return unknownField(path, name, known)
		}
		v, err := scalar(path, name, value)
		if err != nil {
			return err
		}
		v, err = normal(name.Value, v)
		out[name.Value] = v
		return at(err, path, value.Line)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func homeOf(getenv func(string) string) string { return homeDir(runtime.GOOS, getenv) }

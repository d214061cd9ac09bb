package config

import "maps"

// Schema returns a JSON schema (draft 7, which editors read) of config.yaml, or of the project file. It is more lenient
// than the reader where a schema cannot express a rule, such as that a zone and an address agree.
func Schema(projectFile bool) map[string]any {
	fields := func(names []string) map[string]any {
		all := map[string]any{}
		for _, name := range names {
			all[name] = fieldSchema(name)
		}
		return all
	}
	if projectFile {
		return map[string]any{
			"$schema": "http://json-schema.org/draft-07/schema#", "title": "Project file of dig (" + ProjectFile + ")",
			"type": []string{"object", "null"}, "additionalProperties": false, "properties": fields(projectFields()),
		}
	}
	name := map[string]any{"type": "string", "pattern": profileForm().String()}
	return map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Profiles of dig (config.yaml)",
		"type": []string{"object", "null"}, "additionalProperties": false,
		"properties": map[string]any{
			"current": described(name, "The profile that is used when none is named; it must be one of profiles."),
			"profiles": map[string]any{
				"type": []string{"object", "null"}, "description": "The profiles by name.", "propertyNames": name,
				"additionalProperties": map[string]any{"type": []string{"object", "null"},
					"additionalProperties": false, "properties": fields(profileFields())},
			},
		},
	}
}

func described(schema map[string]any, text string) map[string]any {
	out := maps.Clone(schema)
	out["description"] = text
	return out
}

// fieldSchema is the schema of one field. Identifiers may look like numbers: the reader takes them as they are written.
func fieldSchema(name string) map[string]any {
	scalar := map[string]any{"type": []string{"string", "number", "boolean"}}
	number := map[string]any{"type": []string{"string", "number"}}
	choice := func(values ...string) map[string]any { return map[string]any{"type": "string", "enum": values} }
	switch name {
	case nameProfile:
		return described(map[string]any{"type": "string", "pattern": profileForm().String()}, "The profile to use.")
	case nameZone:
		var zones []string
		for _, z := range Zones() {
			zones = append(zones, string(z))
		}
		return described(choice(zones...), "Where to work: local runs in this program, us and eu are hosted.")
	case nameBaseURL:
		return described(map[string]any{"type": "string", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://"},
			"Address of the gateway, up to /api/v1; https, or http on a loopback address.")
	case nameOrg:
		return described(scalar, "Organization, by id or name.")
	case nameWorkspace:
		return described(scalar, "Workspace, by id or name.")
	case nameProject:
		return described(scalar, "Project, by id or name.")
	case nameOutput:
		return described(map[string]any{"type": "string", "pattern": outputForm().String()},
			"Output format, such as table, json or csv.")
	case nameTimeout:
		return described(number, "Time limit of a call: seconds, or with units such as 1m30s.")
	case nameHistory:
		return described(number, "Largest result that is stored for query last, such as 64MiB, or off.")
	case nameSpool:
		return described(number, "What a result of zone local may occupy on the disk while its reader does not read, "+
			"such as 10GiB, or off.")
	case nameProtect:
		return described(choice(Confirm, ReadOnly), "What is done about requests that change something: ask before a "+
			"command sends one, or refuse it. The strictest of all sources counts.")
	case nameFiles:
		return described(choice(FilesOn, FilesOff), "Whether statements on zone local may name files of this "+
			"machine, as in FROM 'sales.csv'. One source that says off counts.")
	case nameFriendly:
		return described(choice(FilesOn, FilesOff), "Whether dig sql and the shell rewrite what Trino's SQL has "+
			"not, such as FROM without SELECT.")
	case nameJournal:
		return described(number,
			"Size of the journal of changes, such as 10MiB, or off. A project file cannot change it.")
	case nameConnectTimeout:
		return described(number,
			"Time limit for the connection to the gateway or its proxy, and for the TLS handshake.")
	case nameReplyTimeout:
		return described(number, "Time limit from the end of a request to the first byte of its reply.")
	case nameCAFile:
		return described(map[string]any{"type": "string"},
			"Absolute path of a file of certificates (PEM) that are trusted besides those of the system.")
	case nameClientCert:
		return described(map[string]any{"type": "string"},
			"Absolute path of the certificate (PEM) that is shown to the gateway.")
	case nameClientKey:
		return described(map[string]any{"type": "string"},
			"Absolute path of its private key (PEM), if client-cert does not contain it.")
	case fieldKeyStorage:
		return described(choice("keyring", "file"), "Where the key is stored. Written by dig.")
	case fieldKeyKind:
		return described(choice(KindPartner, KindProject), "Kind of the stored key. Written by dig.")
	case fieldKeyExpires:
		return described(map[string]any{"type": "string", "format": "date-time"},
			"When the stored key expires. Written by dig.")
	case fieldKeyUser:
		return described(scalar, "Owner of the stored key. Written by dig.")
	case fieldKeyProject:
		return described(scalar, "Project of the stored key, by id. Written by dig.")
	case fieldKeyProjectName:
		return described(scalar, "Name of that project. Written by dig.")
	}
	return scalar
}

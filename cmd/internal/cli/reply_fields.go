package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/dig-cli/dig/internal/cell"
	"github.com/dig-cli/dig/pkg/api"
	"github.com/dig-cli/dig/pkg/output"
	"github.com/dig-cli/dig/pkg/spec"
	"github.com/spf13/cobra"
)

// shownFor lists the fields that a command prints when its output is not exactly the reply to its operation: replies to
// other operations, fields of its own, or only a note.
func shownFor(op spec.Op) (ops []spec.Op, own string, none bool) {
	switch op.ID {
	case spec.CreateCache.ID:
		return []spec.Op{op, spec.GetCacheStatus}, "", false
	case spec.TriggerFullRefresh.ID, spec.TriggerIncrementalUpdate.ID:
		return []spec.Op{spec.GetCacheStatus}, "", false
	case spec.RefreshMaterializedQuery.ID:
		return []spec.Op{spec.GetMaterializedStatus}, "", false
	case spec.ExportQuery.ID, spec.ExportTable.ID:
		return []spec.Op{op, spec.GetExport}, "", false
	case spec.CreateGoldenSql.ID:
		return nil, "id content metadata metadata.sql metadata.prompt metadata.projectId", false
	case spec.RefreshMetadata.ID:
		return nil, "catalogId status error", false
	case spec.AgentChat.ID:
		return []spec.Op{op}, "role text data sql threadId", false
	case spec.ImportBi.ID:
		return []spec.Op{spec.ImportCsv}, "", false
	case spec.CompactLocal.ID:
		return nil, "bytesBefore bytesAfter files files.holds files.projectId files.projectName files.bytesBefore " +
			"files.bytesAfter files.error files.status", false
	case spec.GetQueryFolderTree.ID: // in a command that changes something: the folders that it removes
		return nil, "value", false
	case spec.SetCatalogAiUsage.ID, spec.SetSchemaAiUsage.ID, spec.RegisterRefreshCallback.ID,
		spec.UnregisterRefreshCallback.ID,
		spec.GenerateCategoricalValues.ID, spec.DeleteCategoricalValues.ID, spec.DeleteGoldenSql.ID,
		spec.DeleteRelation.ID,
		spec.RenameAgentThread.ID, spec.DeleteAgentThread.ID:
		return nil, "", true
	}
	return []spec.Op{op}, "", false
}

// answersList reports whether the reply to an operation is a list.
func answersList(op spec.Op) bool {
	return strings.HasPrefix(op.ID, "list") && op.ID != spec.ListSupportedDrivers.ID
}

// Changing reports whether a command may run an operation that changes something.
func Changing(c *cobra.Command) bool {
	for _, id := range strings.Fields(c.Annotations[OpAnnotation]) {
		op, ok := spec.Find(id)
		if !ok || !op.Safe() {
			return true
		}
	}
	return false
}

// checkResult rejects, before a command changes anything, output that would fail afterwards: columns that the result
// does not have, or a file that cannot be created.
func (e *Env) checkResult(c *cobra.Command, op spec.Op) error {
	if !Changing(c) {
		return nil
	}
	if err := output.CheckFile(e.outPath()); err != nil {
		return Usagef("--out: %v", err)
	}
	if len(e.Run.Flags.Columns) == 0 {
		return nil
	}
	known, err := Shown(op)
	if err != nil {
		return err
	}
	for _, want := range e.Run.Flags.Columns {
		if !known.Has(want) {
			return cell.UnknownColumn(want, known.Names)
		}
	}
	return nil
}

// Shown returns the fields of the output of a command.
func Shown(op spec.Op) (*Fields, error) {
	ops, own, none := shownFor(op)
	acknowledgement := &Fields{Names: []string{"message", "ok"}}
	if none {
		return acknowledgement, nil
	}
	known, err := fieldsOf(ops)
	if err != nil {
		return nil, err
	}
	known.Names = append(known.Names, strings.Fields(own)...)
	slices.Sort(known.Names)
	known.Names = slices.Compact(known.Names)
	if len(known.Names) == 0 && !known.open {
		return acknowledgement, nil
	}
	return known, nil
}

// outPath returns the file of --out, or "" for stdout.
func (e *Env) outPath() string {
	if o := e.Run.Flags.Out; o != "" && o != "-" {
		return e.Abs(o)
	}
	return ""
}

// Fields are the dotted names of the fields that a reply may have.
type Fields struct {
	Names []string
	under []string // names that may have any members
	open  bool     // any field is possible
}

func (f *Fields) Has(want string) bool {
	if f.open {
		return true
	}
	for _, n := range f.Names {
		if strings.EqualFold(n, want) || len(n) > len(want) && strings.EqualFold(n[:len(want)], want) &&
			n[len(want)] == '.' {
			return true
		}
	}
	for _, n := range f.under {
		if len(want) > len(n) && strings.EqualFold(want[:len(n)], n) && want[len(n)] == '.' {
			return true
		}
	}
	return false
}

// jsonSchema is the subset of JSON Schema that the API description uses.
type jsonSchema struct {
	Ref        string                 `json:"$ref"`
	Type       any                    `json:"type"`
	Items      *jsonSchema            `json:"items"`
	Properties map[string]*jsonSchema `json:"properties"`
	AllOf      []*jsonSchema          `json:"allOf"`
	OneOf      []*jsonSchema          `json:"oneOf"`
	AnyOf      []*jsonSchema          `json:"anyOf"`
}

// fieldsOf reads the fields of replies from the API description.
func fieldsOf(ops []spec.Op) (*Fields, error) {
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Responses   map[string]struct {
				Content map[string]struct {
					Schema *jsonSchema `json:"schema"`
				} `json:"content"`
			} `json:"responses"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]*jsonSchema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(api.OpenAPI(), &doc); err != nil {
		return nil, fmt.Errorf("the description of the API: %w", err)
	}
	wanted := map[string]bool{}
	for _, op := range ops {
		wanted[op.ID] = true
	}
	found := &Fields{}
	for _, methods := range doc.Paths {
		for _, op := range methods {
			if !wanted[op.OperationID] {
				continue
			}
			for status, r := range op.Responses {
				for _, c := range r.Content {
					if strings.HasPrefix(status, "2") && c.Schema != nil {
						found.add(c.Schema, "", doc.Components.Schemas, 0)
					}
				}
			}
		}
	}
	return found, nil
}

// add adds the fields of a schema under a name.
func (f *Fields) add(s *jsonSchema, name string, all map[string]*jsonSchema, deep int) {
	if s == nil || deep > 8 {
		f.anything(name)
		return
	}
	if s.Ref != "" {
		f.add(all[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]], name, all, deep+1)
		return
	}
	parts := append(append(append([]*jsonSchema{}, s.AllOf...), s.OneOf...), s.AnyOf...)
	for _, p := range parts {
		f.add(p, name, all, deep+1)
	}
	switch {
	case s.Items != nil && name == "": // a list: the fields of its rows
		f.add(s.Items, "", all, deep+1)
	case len(s.Properties) > 0:
		for key, p := range s.Properties {
			at := key
			if name != "" {
				at = name + "." + key
			}
			f.Names = append(f.Names, at)
			f.add(p, at, all, deep+1)
		}
	case len(parts) == 0 && (s.Items != nil || s.Type == nil || strings.Contains(fmt.Sprint(s.Type), "object")):
		f.anything(name)
	}
}

func (f *Fields) anything(name string) {
	if name == "" {
		f.open = true
		return
	}
	f.under = append(f.under, name)
}

package openapi

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
)

// comments are the comments of pkg/api on its types and their fields: "Type" and "Type.Field".
type comments map[string]string

// readComments reads the source files of a package.
func readComments(dir string) (comments, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	out := comments{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				t := s.(*ast.TypeSpec)
				doc := t.Doc
				if doc == nil {
					doc = g.Doc
				}
				out[t.Name.Name] = sentence(doc)
				st, ok := t.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, field := range st.Fields.List {
					for _, n := range field.Names {
						if c := sentence(field.Comment); c != "" {
							out[t.Name.Name+"."+n.Name] = c
						} else {
							out[t.Name.Name+"."+n.Name] = sentence(field.Doc)
						}
					}
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no Go source in %s", fs.ErrNotExist, dir)
	}
	return out, nil
}

// tags are the letters in brackets that name the source of a fact; they are not part of the document.
var tags = regexp.MustCompile(` ?(\[[SOLMEDCTI]\])+`)

func sentence(g *ast.CommentGroup) string {
	return strings.TrimSpace(tags.ReplaceAllString(strings.Join(strings.Fields(g.Text()), " "), ""))
}

// boilerplate matches sentences without information.
var boilerplate = regexp.MustCompile(`^\w+ is (an object of the API|the body of a request|a part of \w+)\.$`)

// listed is the part of a field's comment that lists the closed set of its values: words of one kind, separated by
// commas, at the start. A default is marked after its word.
var listed = regexp.MustCompile(`^(?:([A-Z_]+(?: \(default\))?(?:(?:, | or )[A-Z_]+(?: \(default\))?)+)(?:$|[;.]|, ` +
	`which)|([a-z-]+(?:, [a-z-]+)+)(?:$|[;.]))`)

// values extracts the closed set of values from a field's comment, nil for none.
func values(comment string) []string {
	m := listed.FindStringSubmatch(comment)
	if m == nil {
		return nil
	}
	list := strings.ReplaceAll(m[1]+m[2], " (default)", "")
	return strings.Split(strings.ReplaceAll(list, " or ", ", "), ", ")
}

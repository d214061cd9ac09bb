package api

import _ "embed" // for the document

//go:generate go run ../openapi/generate . openapi.json

//go:embed openapi.json
var openAPI string

// OpenAPI is the OpenAPI 3.1 document of the gateway, as JSON. It is generated from the operations and types of this
// client.
func OpenAPI() []byte { return []byte(openAPI) }

package api

import "encoding/json"

// ParametricTable is an object of the API.
type ParametricTable struct {
	FromSchema  string                  `json:"fromSchema"`
	FromTable   string                  `json:"fromTable"`
	ToSchema    string                  `json:"toSchema"`
	ToTable     string                  `json:"toTable" reply:"must"`
	ParamValues []ParametricTableColumn `json:"paramValues"`
}

// ParametricTableColumn is an object of the API.
type ParametricTableColumn struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

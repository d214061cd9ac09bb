package api

// Organization is a record of the service.
type Organization struct {
	ID          string  `json:"id" reply:"must"`
	Name        string  `json:"name"`
	Owner       string  `json:"owner"`
	CreatedAt   string  `json:"createdAt"`
	IconFileID  *string `json:"iconFileId"`
	Description *string `json:"description"`
}

package api

// Organization is an object of the API.
type Organization struct {
	ID          string  `json:"id" reply:"must"`
	Name        string  `json:"name"`
	Owner       string  `json:"owner"`
	CreatedAt   string  `json:"createdAt"`
	IconFileID  *string `json:"iconFileId"`
	Description *string `json:"description"`
}

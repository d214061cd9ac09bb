package api

// Count returns the number of rows that Next has reported.
func (r *Rows) Count() int64 {
	if r.pending {
		return r.count - 1
	}
	return r.count
}

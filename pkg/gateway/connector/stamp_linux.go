package connector

import "io/fs"

func (s *Stamp) fill(info fs.FileInfo) {
	if st, ok := stat(info); ok {
		s.Dev, s.Ino, s.Changed = uint64(st.Dev), st.Ino, st.Ctim.Nano() //nolint:unconvert // the types differ between systems
	}
}

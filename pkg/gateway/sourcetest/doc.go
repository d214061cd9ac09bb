// Package sourcetest tests what every source must do as part of a gateway: queries, catalogs, caches and failures over
// each connector.
package sourcetest

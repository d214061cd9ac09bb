package functions

import "strings"

// geospatialNames are Trino's geospatial functions without those that begin with st_. They are in a plugin, which the
// table of functions does not cover.
const geospatialNames = ` bing_tile bing_tile_at bing_tile_coordinates bing_tile_polygon bing_tile_quadkey ` +
	`bing_tile_zoom_level bing_tiles_around ` +
	`convex_hull_agg from_encoded_polyline from_geojson_geometry geometry_from_hadoop_shape geometry_invalid_reason ` +
	`geometry_nearest_points ` +
	`geometry_to_bing_tiles geometry_union geometry_union_agg great_circle_distance line_interpolate_point ` +
	`line_interpolate_points ` +
	`line_locate_point simplify_geometry spatial_partitioning spatial_partitions to_encoded_polyline ` +
	`to_geojson_geometry to_geometry ` +
	`to_spherical_geography `

// geospatial reports whether a function, in lower case, is one of Trino's geospatial functions.
func geospatial(name string) bool {
	return strings.HasPrefix(name, "st_") || strings.Contains(geospatialNames, " "+name+" ")
}

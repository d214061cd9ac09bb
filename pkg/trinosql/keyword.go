package trinosql

// word is a keyword of the grammar; 0 for any other identifier.
type word uint8

const (
	wNone word = iota
	// Reserved: these are never names without quotes.
	wAlter
	wAnd
	wAs
	wBetween
	wBy
	wCase
	wCast
	wConstraint
	wCreate
	wCross
	wCube
	wCurrentCatalog
	wCurrentDate
	wCurrentPath
	wCurrentRole
	wCurrentSchema
	wCurrentTime
	wCurrentTimestamp
	wCurrentUser
	wDeallocate
	wDelete
	wDescribe
	wDistinct
	wDrop
	wElse
	wEnd
	wEscape
	wExcept
	wExists
	wExtract
	wFalse
	wFor
	wFrom
	wFull
	wGroup
	wGrouping
	wHaving
	wIn
	wInner
	wInsert
	wIntersect
	wInto
	wIs
	wJoin
	wJSONArray
	wJSONExists
	wJSONObject
	wJSONQuery
	wJSONTable
	wJSONValue
	wLeft
	wLike
	wListagg
	wLocaltime
	wLocaltimestamp
	wNatural
	wNormalize
	wNot
	wNull
	wOn
	wOr
	wOrder
	wOuter
	wPrepare
	wRecursive
	wRight
	wRollup
	wSelect
	wSkip
	wTable
	wThen
	wTrim
	wTrue
	wUescape
	wUnion
	wUnnest
	wUsing
	wValues
	wWhen
	wWhere
	wWith
	lastReserved
	// Not reserved: words of the grammar that may be names as well.
	wAbsent
	wAll
	wAnalyze
	wAny
	wArray
	wAsc
	wAt
	wAuto
	wBernoulli
	wBoth
	wCall
	wCatalogs
	wColumns
	wComment
	wCommit
	wConditional
	wCount
	wCurrent
	wDay
	wDefault
	wDeny
	wDesc
	wDouble
	wEmpty
	wEncoding
	wError
	wExcluding
	wExecute
	wExplain
	wFetch
	wFilter
	wFinal
	wFirst
	wFollowing
	wFormat
	wFunctions
	wGrant
	wGrants
	wGroups
	wHour
	wIf
	wIgnore
	wInput
	wInterval
	wJSON
	wKeep
	wKey
	wKeys
	wLast
	wLateral
	wLeading
	wLimit
	wMap
	wMatchRecognize
	wMaterialized
	wMerge
	wMinute
	wMonth
	wNext
	wNfc
	wNfd
	wNfkc
	wNfkd
	wNulls
	wObject
	wOf
	wOffset
	wOmit
	wOnly
	wOrdinality
	wOutput
	wOver
	wOverflow
	wPartition
	wPassing
	wPosition
	wPreceding
	wPrecision
	wQuotes
	wRange
	wRefresh
	wRename
	wReset
	wRespect
	wReturning
	wRevoke
	wRole
	wRoles
	wRollback
	wRow
	wRows
	wRunning
	wScalar
	wSchema
	wSchemas
	wSecond
	wSession
	wSet
	wSets
	wShow
	wSome
	wStart
	wStats
	wString
	wSubstring
	wSystem
	wTables
	wTablesample
	wTies
	wTime
	wTimestamp
	wTo
	wTrailing
	wTruncate
	wTryCast
	wUnbounded
	wUnconditional
	wUnique
	wUpdate
	wUse
	wUtf16
	wUtf32
	wUtf8
	wValue
	wVerbose
	wVersion
	wView
	wWindow
	wWithin
	wWithout
	wWrapper
	wYear
	wZone
	lastWord
)

var wordText = [lastWord]string{
	wAlter: "ALTER", wAnd: "AND", wAs: "AS", wBetween: "BETWEEN", wBy: "BY", wCase: "CASE", wCast: "CAST",
	wConstraint: "CONSTRAINT", wCreate: "CREATE",
	wCross: "CROSS", wCube: "CUBE", wCurrentCatalog: "CURRENT_CATALOG", wCurrentDate: "CURRENT_DATE",
	wCurrentPath: "CURRENT_PATH", wCurrentRole: "CURRENT_ROLE",
	wCurrentSchema: "CURRENT_SCHEMA", wCurrentTime: "CURRENT_TIME", wCurrentTimestamp: "CURRENT_TIMESTAMP",
	wCurrentUser: "CURRENT_USER", wDeallocate: "DEALLOCATE",
	wDelete: "DELETE", wDescribe: "DESCRIBE", wDistinct: "DISTINCT", wDrop: "DROP", wElse: "ELSE", wEnd: "END",
	wEscape: "ESCAPE", wExcept: "EXCEPT",
	wExecute: "EXECUTE", wExists: "EXISTS", wExtract: "EXTRACT", wFalse: "FALSE", wFor: "FOR", wFrom: "FROM",
	wFull: "FULL", wGroup: "GROUP", wGrouping: "GROUPING",
	wHaving: "HAVING", wIn: "IN", wInner: "INNER", wInsert: "INSERT", wIntersect: "INTERSECT", wInto: "INTO", wIs: "IS",
	wJoin: "JOIN", wJSONArray: "JSON_ARRAY",
	wJSONExists: "JSON_EXISTS", wJSONObject: "JSON_OBJECT", wJSONQuery: "JSON_QUERY", wJSONTable: "JSON_TABLE",
	wJSONValue: "JSON_VALUE", wLeft: "LEFT",
	wLike: "LIKE", wListagg: "LISTAGG", wLocaltime: "LOCALTIME", wLocaltimestamp: "LOCALTIMESTAMP", wNatural: "NATURAL",
	wNormalize: "NORMALIZE", wNot: "NOT",
	wNull: "NULL", wOn: "ON", wOr: "OR", wOrder: "ORDER", wOuter: "OUTER", wPrepare: "PREPARE", wRecursive: "RECURSIVE",
	wRight: "RIGHT", wRollup: "ROLLUP",
	wSelect: "SELECT", wSkip: "SKIP", wTable: "TABLE", wThen: "THEN", wTrim: "TRIM", wTrue: "TRUE", wUescape: "UESCAPE",
	wUnion: "UNION", wUnnest: "UNNEST",
	wUsing: "USING", wValues: "VALUES", wWhen: "WHEN", wWhere: "WHERE", wWith: "WITH",

	wAbsent: "ABSENT", wAll: "ALL", wAnalyze: "ANALYZE", wAny: "ANY", wArray: "ARRAY", wAsc: "ASC", wAt: "AT",
	wAuto:      "AUTO",
	wBernoulli: "BERNOULLI", wBoth: "BOTH",
	wCall: "CALL", wCatalogs: "CATALOGS", wColumns: "COLUMNS", wComment: "COMMENT", wCommit: "COMMIT",
	wConditional: "CONDITIONAL", wCount: "COUNT",
	wCurrent: "CURRENT", wDay: "DAY", wDefault: "DEFAULT", wDeny: "DENY", wDesc: "DESC", wDouble: "DOUBLE",
	wEmpty: "EMPTY", wEncoding: "ENCODING",
	wError: "ERROR", wExcluding: "EXCLUDING", wExplain: "EXPLAIN", wFetch: "FETCH", wFilter: "FILTER", wFinal: "FINAL",
	wFirst:     "FIRST",
	wFollowing: "FOLLOWING", wFormat: "FORMAT", wFunctions: "FUNCTIONS", wGrant: "GRANT", wGrants: "GRANTS",
	wGroups: "GROUPS", wHour: "HOUR", wIf: "IF", wIgnore: "IGNORE",
	wInput: "INPUT", wInterval: "INTERVAL", wJSON: "JSON", wKeep: "KEEP", wKey: "KEY", wKeys: "KEYS", wLast: "LAST",
	wLateral: "LATERAL", wLeading: "LEADING",
	wLimit: "LIMIT", wMap: "MAP", wMatchRecognize: "MATCH_RECOGNIZE", wMaterialized: "MATERIALIZED", wMerge: "MERGE",
	wMinute: "MINUTE", wMonth: "MONTH",
	wNext: "NEXT", wNfc: "NFC", wNfd: "NFD", wNfkc: "NFKC", wNfkd: "NFKD", wNulls: "NULLS", wObject: "OBJECT",
	wOf: "OF", wOffset: "OFFSET", wOmit: "OMIT",
	wOnly: "ONLY", wOrdinality: "ORDINALITY", wOutput: "OUTPUT", wOver: "OVER", wOverflow: "OVERFLOW",
	wPartition: "PARTITION", wPassing: "PASSING",
	wPosition: "POSITION", wPreceding: "PRECEDING", wPrecision: "PRECISION", wQuotes: "QUOTES", wRange: "RANGE",
	wRefresh: "REFRESH", wRename: "RENAME",
	wReset: "RESET", wRespect: "RESPECT", wReturning: "RETURNING", wRevoke: "REVOKE", wRole: "ROLE", wRoles: "ROLES",
	wRollback: "ROLLBACK", wRow: "ROW", wRows: "ROWS", wRunning: "RUNNING",
	wScalar: "SCALAR", wSchema: "SCHEMA", wSchemas: "SCHEMAS", wSecond: "SECOND", wSession: "SESSION", wSet: "SET",
	wSets: "SETS", wShow: "SHOW",
	wSome: "SOME", wStart: "START", wStats: "STATS", wSubstring: "SUBSTRING", wSystem: "SYSTEM", wTables: "TABLES",
	wTablesample: "TABLESAMPLE",
	wString:      "STRING", wTies: "TIES", wTime: "TIME", wTimestamp: "TIMESTAMP", wTo: "TO", wTrailing: "TRAILING",
	wTruncate: "TRUNCATE", wTryCast: "TRY_CAST",
	wUnbounded: "UNBOUNDED", wUnconditional: "UNCONDITIONAL", wUnique: "UNIQUE", wUpdate: "UPDATE", wUse: "USE",
	wUtf16: "UTF16", wUtf32: "UTF32",
	wUtf8: "UTF8", wValue: "VALUE", wVerbose: "VERBOSE", wVersion: "VERSION", wView: "VIEW", wWindow: "WINDOW",
	wWithin: "WITHIN", wWithout: "WITHOUT",
	wWrapper: "WRAPPER", wYear: "YEAR", wZone: "ZONE",
}

// longestWord is the length of the longest keyword.
const longestWord = 17

// slots is a hash table of the keywords: buckets by length and first letter.
var slots = func() (t [longestWord + 1][26][]word) {
	for w, text := range wordText {
		if text != "" {
			b := &t[len(text)][text[0]-'A']
			*b = append(*b, word(w))
		}
	}
	return t
}()

// lookup finds the keyword that an identifier spells in any case.
func lookup(s string) word {
	if len(s) > longestWord || len(s) == 0 {
		return wNone
	}
	c := s[0] &^ 0x20
	if c < 'A' || c > 'Z' {
		return wNone
	}
candidates:
	for _, w := range slots[len(s)][c-'A'] {
		text := wordText[w]
		for i := 1; i < len(s); i++ {
			b := s[i]
			if b >= 'a' && b <= 'z' {
				b &^= 0x20
			}
			if b != text[i] {
				continue candidates
			}
		}
		return w
	}
	return wNone
}

// Reserved reports whether a name must be quoted because Trino reserves the word, in any case.
func Reserved(name string) bool {
	w := lookup(name)
	return w > wNone && w < lastReserved
}

// Keywords lists the words of the grammar in upper case, the reserved ones first.
func Keywords() []string {
	var list []string
	for _, text := range wordText {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

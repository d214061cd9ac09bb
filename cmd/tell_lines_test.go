package cmd

import (
	"fmt"
	"strings"
)

// tellLines are command lines of every command that works, with what a dry run tells of: the number of its steps, where
// it is not 1 for a command that changes something and 0 for one that reads.
var tellLines = `
agent chat hello
agent history delete 00000000-0000-4000-8000-00000000ffff --yes
agent history list
agent image --out workflow.png | fails
agent stream hello
agent thread delete t1 --yes | fails
agent thread get t1 | fails
agent thread list
agent thread rename t1 new | fails
api GET /info
apply $PROJECT --yes
api POST /data/projects/{project}/queries/execute -f statement=SELECT
api GET /data/projects/{project}/queries --paginate
api-key create ci --key-file ci.key
api-key create ci2
api-key delete made --yes
api-key list
api-key rotate made --key-file ci.key
auth login lab --base-url http://127.0.0.1:1/api/v1 | 1
auth logout spare --yes | fails
auth status
auth switch spare | 1
auth whoami
bitable column add bis age --type bigint
bitable column delete bis name --yes
bitable column list bis | 1
bitable column update bis name --type decimal
bitable create other
bitable ensure other --column a:bigint
bitable ensure bis --column added:date
bitable delete bis --yes
bitable import bis $CSV
bitable list
bitable copy bis other | 1
bitable rename bis other | 1
bitable rows delete bis --where true --yes --confirm bis | 1
bitable truncate bis --yes | 1
cache batch sample.shop.customers sample.shop.products
cache cancel sample shop orders --full
cache create sample shop customers --wait
cache delete sample shop orders --yes
cache ensure sample shop products --full-every 1d
cache ensure sample shop orders --full-every 2d
cache get sample shop orders
cache history sample shop orders
cache list
cache list --catalog sample
cache refresh sample shop orders --full --wait
cache status sample shop orders
cache update sample shop orders --full-every 3d
cache wait sample shop orders
catalog cached sample shop orders
catalog columns sample shop orders
catalog create more --connection files
catalog ensure more --connection files
catalog delete ext --yes
catalog get ext
catalog list
catalog schemas ext
catalog search order | 1
catalog share kpi --to other
catalog statistics peaka table people
catalog tables sample shop
check | 2
completion bash
completion --all made/completions | 1
config edit | 1
completion install bash | 2
completion status
completion uninstall bash
config explain
config get profiles.spare.zone
config list
config schema
config schema --out schema.json | 1
config set profiles.spare.output csv | 1
config unset profiles.spare.zone | 1
connection create c2 --type files --credential path=$FILES
connection ensure c2 --type files --credential path=$FILES
connection ensure files --type files --credential path=$FILES --credential pattern=*.csv
connection delete files --yes
connection detail files
connection get files
connection list
connection oauth complete code=1&state=2
connection test files
connection type get files
connection type list
connection update files --name f2
doctor
diff $PROJECT
driver jdbc
driver list
driver sqlalchemy --catalog sample
embed init
export cancel $EXPORT
export download $EXPORT got.csv | 1
export get $EXPORT
export list
export query plain --download got.csv
export table sample shop orders --wait
export wait $EXPORT
gateway backup zone.tar.zst | 1
gateway compact | 1
gateway compact --project other | 1
gateway health | fails
gateway reset --yes | 1
gateway restore none.tar.zst | fails
gateway serve --listen 127.0.0.1:0 | 1
gateway status
gateway verify
history list
history show none | fails
info
materialized cancel stored
materialized list
materialized refresh stored --wait
materialized status stored
materialized wait stored
metadata ai sample --deny
metadata ai sample.shop.orders --deny
metadata callback get
metadata callback set https://example.com/hook
metadata callback unset --yes
metadata categorical delete sample.shop.orders.status --yes
metadata categorical generate sample.shop.orders.status
metadata find orders
metadata golden-sql create --prompt p --sql SELECT
metadata golden-sql delete $GOLDEN --yes
metadata golden-sql find orders
metadata golden-sql list
metadata lineage sample.shop.orders
metadata list
metadata questions churn
metadata refresh sample --wait
metadata relation add peaka.table.people.name --to sample.shop.customers.name
metadata relation delete sample $RELATION --yes
metadata relation list sample
metadata relation update sample $RELATION --type ONE_TO_ONE
metadata semantics sample shop.orders
metadata set sample shop.orders --description told
metadata status sample
org get
org list
parametric-table create ext --from files.regions --to p.q --param region=north
parametric-table delete ext p.r --yes
parametric-table list ext
plan $PROJECT | 0
profile add extra --zone us | 1
profile list
profile remove spare --yes | 1
profile rename spare extra | 1
config set profiles.spare.output=csv profiles.spare.project=p | 1
profile show spare
profile use spare | 1
project create other2
project delete other --yes
project export shop.tar | 1
project get other
project import none.tar | fails
project use other | 1
project list
project update other --name x
pull pulled | 1
query create q2 --sql SELECT --path /a/b
query ensure plain --sql SELECT~2~AS~n
query ensure q3 --sql SELECT~1~AS~n
query delete plain --yes
query diff last query:plain | 1
query diff sql:SELECT query:plain | 2
query execute SELECT --out o.csv -o csv --manifest
query execute -f $THREE --jobs 3 --out-dir outs -o csv | 3
query execute --sql SELECT --each-row $CSV -o csv | 2
query execute -f $THREE --keep-going | 3
query execute --id $QUERY
query folder create a/b
query folder ensure a/b
query folder delete empty --yes
query folder get empty
query folder list
query folder move empty /full
query folder prune --yes | 2
query folder rename empty x
query folder tree
query folder update empty --add plain
query freshness stored | 2
query get plain
query last -o csv
query last -o csv --out last.csv | 1
query last --clear | 1
query list
query list -o csv --out list.csv | 1
query materialize plain --wait
query move plain /full
query update plain --name x
semantic-catalog create kpi2
semantic-catalog share kpi --to other
semantic-catalog table create kpi s.t2 --query plain
semantic-catalog table delete kpi s.t --yes
sql format --write $THREE | 1
sql SELECT | 1
sql $THREE --csv | 3
shell | fails
sql transpile SELECT
table column add people age --type bigint
table column delete people name --yes
table column list people | 1
table column update people name --type bigint
table create bare
table create whole --column a:bigint
table ensure whole --column a:bigint
table ensure people --column added:date
table import fresh $CSV --create | 2
table delete people --yes
table import people $CSV
table copy people persons | 1
table rename people persons | 1
table rows delete people --where true --yes --confirm people | 1
table truncate people --yes | 1
table describe sample.shop.orders
table list
table sample people --out sample.csv | 1
runs list
schema query list
version
uses people
workspace create w2
workspace delete spare --yes
workspace get spare
workspace list
workspace update spare --name x
`

// fails marks a line that zone local answers with an error.
const fails = -2

type tellLine struct {
	args  []string
	steps int // -1: as many as the command's operation says
}

func readTellLines(vars *strings.Replacer) []tellLine {
	var all []tellLine
	for _, line := range strings.Split(strings.TrimSpace(tellLines), "\n") {
		text, steps, counted := strings.Cut(line, " | ")
		l := tellLine{args: strings.Fields(vars.Replace(text)), steps: -1}
		if counted {
			if _, err := fmt.Sscan(steps, &l.steps); err != nil {
				l.steps = fails
			}
		}
		for i, a := range l.args {
			if a == "SELECT" || strings.HasSuffix(a, ":SELECT") || strings.HasSuffix(a, "=SELECT") {
				l.args[i] += " 1 AS n"
			}
			if strings.HasPrefix(a, "--each-row") {
				l.args[i-1] = "SELECT ? AS n"
			}
		}
		all = append(all, l)
	}
	return all
}

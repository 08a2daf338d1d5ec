/** Subjects of messages, files, the web, data, code, machines and places on a map. */
export const COMPUTING = `
email mail | emails mails mailbox inboxes gmail smtp imap unread draft reply forward attachment outlook spam sender
email verify | validate address deliverable bounce check
message chat | messages chats slack discord telegram whatsapp messenger dm teams send reply channel
slack discord | channel message chat workspace server team
sms text | message phone number twilio send
call phone | dial voice telephone twilio number
contact | contacts addressbook people phone email crm
social media | socials facebook instagram twitter linkedin tiktok pinterest reddit posts feed followers hashtags
tweet twitter | post thread timeline hashtag followers
reddit | subreddit post thread comments
instagram facebook | post photo reel story social followers
linkedin | professional profile network connection job
hashtag | tag instagram twitter social post trending
post publish | schedule social blog article share
comment reply | comments thread discussion feedback respond
follow follower | followers subscribe social unfollow
friend | friends contact social people
forum community | discussion thread members group post
group member | members team join invite
file | files filesystem upload folder path attachment docs
folder directory | folders directories tree path subdirectories
drive storage | google dropbox onedrive cloud files s3 bucket upload
bucket object | s3 storage blob cloud upload
backup restore | snapshot recover copy archive
archive compress | zip tar unzip gzip extract
search find | searching finds seek locate look query discover
web search | google bing duckduckgo internet online results engine browse serp
web page | webpage website url html content site link browse
scrape crawl | scraper crawler spider extract html content webpages data
browser | tab chrome click navigate screenshot puppeteer playwright page
click element | button page selector browser press
screenshot | capture screen image page snapshot
url link | links shorten shortener redirect short bitly address
rss feed | feeds news subscribe atom
domain whois | domains dns registrar tld registration availability name
dns | record records nameserver domain lookup mx
ip address | geolocation ipv4 subnet location network
network | networks router switch lan wifi firewall vlan interface connection
ping latency | host network reachable uptime
port scan | nmap open host network service
ssl certificate | tls https cert expiry encryption domain
vpn proxy | network tunnel ip firewall
firewall | rule block network security waf
security vulnerability | secure cve cves exploits threats malware pentest hacker breach risk scanner phishing
malware virus | virustotal threat infected hash trojan antivirus
password | passwords strong secure generate credential breach
encrypt decrypt | encryption cipher key aes rsa crypto secret hash
hash checksum | md5 sha256 digest crypto
encode decode | base64 encoding url hex escape
token key | secret credential api auth jwt
secret vault | credential key password env
authentication login | authenticate oauth sso signin logout session user identity mfa otp
verify verification | validate confirm identity check
user account | users profiles signup register member admin
permission role | roles permissions rbac access iam grant
database sql | databases tables queries postgresql mysql mongodb sqlite redis schema rows records bigquery snowflake
table row | tables rows columns records schema cell field
query sql | select join statement database
schema migration | table column database alter structure
mongodb collection | document documents nosql database aggregate
redis cache | key value ttl memory
key value | set get store cache redis
vector embedding | semantic similarity search index pinecone qdrant rag
index | indexes search elasticsearch collection
data dataset | datasets analytics records csv statistics table
json xml | parse format yaml convert schema csv
csv | spreadsheet table rows data excel import export
export import | download csv file convert data
convert converter | converting transform format file change
parse | parser extract read syntax
format | formatter pretty style lint
text string | character word trim replace case
regex pattern | match expression text regular
diff | compare difference changes patch
sort filter | order list ascending select
array list | element items sort filter
number | integer random digit numeric
random | generator uuid number pick
uuid guid | unique identifier random id
date time | calendar timestamp day epoch format duration days between
timezone time | timezones utc gmt clock local current zone convert world
timestamp | unix epoch date time
qr barcode | qrcode scan upc code generate
code programming | codes coder coding script developer snippet debug software function python javascript compile class
run execute | runs script command sandbox interpreter code shell process launch
shell command | terminal bash execute cli run process script
python | script code jupyter notebook interpreter
notebook | jupyter cell python
compile build | compiler make binary package
package dependency | npm pip library install module version packages
install | setup package download library
library framework | sdk package documentation api module
documentation docs | reference guide manual api library readme
repository repo | repositories github gitlab bitbucket fork clone source codebase star
git | commit branch merge push pull repo version
commit | commits changes diff history log git
pull request | pr merge review branch diff
branch | branches merge git checkout
issue bug | issues bugs ticket github jira linear defect report
ticket | issue jira helpdesk support request zendesk
release version | releases changelog tag deploy update upgrade
ci pipeline | build workflow actions jenkins deploy job runs
workflow | workflows automation pipeline step trigger action zapier n8n
deploy deployment | deployments vercel netlify heroku hosting release rollout publish
container docker | containers images compose pod registry
kubernetes | k8s pod pods cluster namespace deployment helm node
cluster node | nodes kubernetes replicas server
cloud | aws azure gcp ec2 lambda instance vm serverless cloudflare infrastructure
instance vm | virtual machine server ec2 compute start stop
server | servers hosting host vps machine backend instance status
function lambda | serverless cloud invoke worker
infrastructure terraform | provision resource cloud stack
log logs | logging entries trace stderr events
monitor metric | metrics grafana prometheus datadog uptime dashboard alerts health
dashboard | dashboards chart metrics panel grafana widget
alert incident | alerts incidents pagerduty notification warning oncall
error exception | errors exceptions sentry crash stack trace failure
debug | debugger breakpoint bug trace error
performance | speed benchmark optimize latency profile lighthouse
test testing | tests unit assert coverage qa suite
api endpoint | apis rest graphql openapi swagger http request webhook
request http | get post fetch url curl response header
webhook | callback event trigger hook subscription
queue message | kafka rabbitmq topic publish consumer broker
event stream | topic publish subscribe kafka
cron | schedule job recurring timer
process | processes kill pid cpu running system
system | os cpu memory disk info hardware uptime
memory disk | ram storage usage space system
device sensor | devices sensors iot hardware temperature reading
light lamp | lights bulb brightness hue smart
camera | photo video image stream capture
robot | robotics arm motion autonomous
3d model | cad mesh render blender object print
printer print | printing 3d paper document
mobile app | android ios application store apk
app | apps application mobile software store
plugin extension | plugins extensions chatgpt addon store
cms wordpress | site blog post page content publish
website builder | create site landing page html hosting
html css | web page frontend style website markup
frontend ui | component react interface css design
figma | design frame component ui prototype
notion | page database workspace block note
airtable | base record table field
issue tracker | jira linear ticket sprint backlog
sprint | agile backlog jira scrum story
speech voice | voices tts text to synthesis speak read aloud dictation microphone audio recognition
audio | mp3 wav sound recording voice convert music
video convert | mp4 ffmpeg format trim compress encode
image resize | crop convert compress thumbnail format
knowledge graph memory | entity relation triple ontology fact observation node person store remember
memory remember | recall memories save long term forget store
think reasoning | thought sequential step problem logic
agent | agents autonomous task assistant
subscribe subscription | unsubscribe newsletter plan notify
notification push | notify alert notifications send pushover
setting configuration | config settings preference option environment variable
feature flag | toggle rollout experiment
experiment | ab test variant
location | place locations nearby gps coordinates address where position
address | street postal zip postcode location
zip postcode | postal code address city
place poi | places nearby venue location attraction business
distance | far miles between route kilometers haversine
nearby | near closest local around nearest places
`;

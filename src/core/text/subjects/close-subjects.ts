/** Subjects whose words tell much about each other. */
export const CLOSE_SUBJECTS = `
weather forecast | temperature rain rainy snow humidity climate sunny wind storm thunderstorm umbrella precipitation meteorological degrees celsius fahrenheit outdoor sunrise
climate | emission greenhouse carbon warming sustainability
pollution airquality | air smog aqi pollutant pollen
news headline | article journalism press breaking trending update updates current event coverage media reporter newspaper
travel trip | vacation holiday honeymoon tour tourism tourist destination itinerary journey sightseeing attraction landmark visit getaway backpacking cruise abroad
hotel accommodation | lodging stay room hostel resort booking airbnb motel inn guesthouse suite
flight airline | fly plane airport airfare aviation boarding airplane layover
train rail | railway station subway metro transit
ride taxi | cab uber lyft driver rideshare pickup
car vehicle | automobile auto drive sedan suv truck motor
restaurant dining | food eat meal dinner lunch breakfast cuisine menu table eatery cafe dish
recipe cooking | cook ingredient bake baking dish cake meal cuisine kitchen chef
nutrition diet | calorie calories protein vitamin carbohydrate nutrient healthy eating
fitness workout | exercise gym training yoga running cardio muscle
health medical | doctor disease symptom medicine patient hospital clinic treatment diagnosis illness vaccine vaccination covid hygiene mask therapy
drug medication | medicine pharmacy prescription dose pharmaceutical
therapist psychologist | counselor mental psychiatrist anxiety depression therapy
music song | playlist album artist track band singer lyrics melody concert tune listen genre audio jazz rock
movie film | cinema theater theatre actor director watch screening showtime
tv show | television series episode streaming netflix watch channel
video clip | youtube footage movie recording stream watch
book novel | author reading read literature fiction library protagonist story publisher ebook
game gaming | play player gameplay esports puzzle videogame quest
sport sports | team player match league football soccer basketball baseball nba nfl tournament championship roster score athlete season coach
ticket | event concert show admission seat theater circus
event | meeting conference festival party gathering concert occasion schedule upcoming
calendar schedule | appointment meeting event agenda date availability booking remind
reminder alarm | remind notify alert todo
todo task | reminder checklist assignment project
job career | employment hiring vacancy position salary recruiter resume work occupation opening internship interview
resume cv | job interview application career
course class | learn learning lesson tutorial education study training lecture teach curriculum student skill
school university | college education student academic campus degree
quiz exam | test question flashcard memorize trivia practice
research paper | academic scholarly study scientific literature journal publication article arxiv scholar citation findings
science scientific | physics chemistry biology research experiment
math mathematics | equation calculate calculus algebra compute solve geometry arithmetic formula
calculator calculate | compute sum multiply divide add subtract arithmetic
statistics | mean median deviation variance regression probability average
shopping product | buy purchase shop store price item order marketplace retail brand merchandise ecommerce
discount coupon | deal deals sale promo promotion offer voucher save cheap bargain
price cost | pricing fee expensive cheap quote rate
gift present | birthday christmas anniversary
clothes fashion | apparel outfit shirt sweatshirt dress wear style shoes clothing garment
beauty cosmetics | makeup skincare hair skin
finance stock | stocks investment invest investor market trading equity financial portfolio share ticker dividend bond fund nasdaq economy
crypto cryptocurrency | bitcoin ethereum blockchain token coin wallet nft defi
currency exchange | convert conversion dollar euro yen money rate forex
bank account | banking deposit balance savings loan credit
payment pay | invoice charge billing transaction checkout transfer
loan mortgage | interest credit debt borrow repayment
tax | income deduction irs
insurance | policy coverage claim premium
accounting bookkeeping | ledger expense invoice balance
house property | home real estate apartment rent rental housing villa condo bedroom realtor residence lease listing
rent rental | lease tenant landlord renting
company business | corporation firm enterprise startup organization industry competitor
marketing advertising | campaign ad ads promotion brand audience seo affiliate
seo | keyword keywords ranking website optimize traffic search engine backlink
sales customer | crm lead leads prospect client deal pipeline
law legal | court case lawyer attorney lawsuit judge contract legislation statute verdict
crime police | criminal arrest theft
government politics | election president policy senate congress vote minister
history historical | ancient century war empire civilization
art painting | artwork gallery museum artist sculpture paint drawing exhibit
museum | exhibition gallery art exhibit artifact
image picture | photo photograph photography draw illustration graphic visual filter
logo design | graphic brand creative
chart graph | plot visualization diagram visualize bar pie
diagram flowchart | mindmap mind visualize uml mermaid
map location | place address geographic navigation route direction coordinates nearby near area
direction route | navigate drive distance path road journey
distance | far mile kilometer length between
restaurant place | nearby local
local nearby | near around neighborhood area
time clock | timezone zone hour now current
date day | calendar today tomorrow weekday month year
language translation | translate translator english spanish french german chinese japanese phrase
translate | translation translator meaning language
word dictionary | definition meaning synonym vocabulary
grammar writing | rewrite proofread rephrase paraphrase sentence essay polish spelling
essay write | writing compose draft article blog
copywriting | copy slogan advertising marketing
prompt | chatgpt rephrase ai
summary summarize | summarise digest abstract condense tldr overview
pdf document | file page report word
document | docx doc word pdf file report
spreadsheet excel | sheet table csv row column cell workbook
presentation slides | powerpoint slide deck ppt
file folder | directory path document disk save
folder directory | path mkdir subfolder subdirectory
size large | big small bytes length info
directory | folder listing contents
read open | view show contents display
write save | create store put insert record persist
store save | add create insert put keep record persist
add | insert append create put attach include
delete remove | erase drop discard clear destroy cancel
create make | add new generate build produce
update edit | modify change alter revise replace set
list | listing all enumerate every
search find | look lookup query seek locate discover retrieve
get fetch | retrieve obtain read load
move rename | relocate transfer
copy duplicate | clone replicate backup
upload | attach send
download | save fetch get
compress zip | archive unzip extract
database sql | query table sqlite postgres mysql record schema
query | sql select ask search
web website | site page url internet online browser link webpage html
browser | navigate click page web tab screenshot
scrape crawl | extract scraping website page content
url link | website address shorten
internet search | google bing web engine online
domain | website dns register hostname whois
network host | ip port server ping scan dns
server | host machine instance deploy
security vulnerability | attack exploit cve threat scan malware password
password | credential login secret hash
login | sign authenticate account user
user account | profile member login
message chat | send text sms conversation talk dm
email mail | inbox send message gmail outlook recipient
phone call | number telephone dial contact
contact | address phone person
social | twitter facebook instagram reddit tweet post linkedin follower media
twitter tweet | tweets post
post blog | article publish
podcast | episode audio listen
audio sound | voice speech music recording
speech voice | speak audio transcribe tts pronunciation
transcript transcribe | subtitle caption speech
code programming | developer software python javascript program function coding script bug
repository repo | github git code project source gitlab
commit | git push diff change revision
branch | git merge checkout
issue bug | ticket defect error problem report
error exception | crash bug failure debug
test testing | unit check verify
deploy | release publish server hosting
container docker | kubernetes pod image
cloud | aws azure gcp
api | endpoint request rest http interface
http request | url get post api
log logs | logging trace event
monitor metric | monitoring metrics dashboard alert
sensor device | reading measurement iot
smart light | lamp bulb home
memory note | remember notes recall save store knowledge
note notes | memo notion notebook write
knowledge | graph wiki wikipedia encyclopedia fact
fact observation | knowledge information memory statement
entity node | person people object thing relation graph
relation relationship | link connection connect relate edge
forget | delete remove memory erase
know | knowledge memory remember learn
wikipedia | article encyclopedia
people person | someone individual biography
family | genealogy ancestry relative child parent
baby kid | child children parenting toddler
pet animal | dog cat veterinary breed
plant garden | gardening flower tree soil
species animal | wildlife bird ecology evolution
astronomy space | nasa planet star satellite mars telescope galaxy celestial
horoscope astrology | zodiac capricorn aries taurus gemini leo virgo libra scorpio sagittarius aquarius pisces sign tarot
tarot | card fortune divination
religion | bible quran prayer church god
joke humor | funny meme laugh
quote | saying inspiration proverb
random | dice number generate coin
color | hex rgb palette
font | text typography ascii
qr barcode | code scan
converter convert | transform conversion change format
unit | convert measure kilogram mile celsius
energy power | electricity solar watt renewable
physics force | velocity acceleration gravity mass energy
chemistry chemical | molecule compound reaction element
biology gene | dna protein cell genetic
geometry area | triangle circle rectangle volume perimeter
shape | circle triangle square
population demographic | census country city
country | nation capital state
order | purchase delivery track shipment
delivery shipping | package parcel courier ship track
drink | coffee tea beverage wine beer cocktail
furniture | sofa home interior decor
construction | building material concrete paint wall
electric | voltage current circuit resistance
service provider | professional cleaner plumber haircut
catering | food party restaurant
salon | haircut hair barber
dating | love romantic relationship
wedding | marriage bride venue
flashcard | memorize spaced repetition study
tutor | teach homework learn
brainstorm idea | ideas think creative
think thinking | reason reasoning step thought
plan planner | planning organize schedule roadmap
analysis analyze | analyse examine evaluate insight insights assess inspect
compare comparison | versus difference contrast
recommend recommendation | suggest suggestion suggestions advice
review rating | opinion feedback stars score
advice | tip tips guidance guide
question answer | ask faq
visualize visualization | chart plot graph
workflow automation | automate automatically zapier integrate integration
permission role | access right grant policy
subscribe subscription | plan membership
notification notify | alert push message
history | past previous old earlier
latest recent | new newest current today
similar | alike related like
size | dimension length width height
`;

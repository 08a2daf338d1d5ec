/** Subjects of what people want for themselves and those around them, in the words of any day. */
export const HOME_AND_SELF = `
sad lonely | feeling upset depressed down emotional support companion talk chat friend listen comfort therapy
stress anxious | overwhelmed pressure burnout relax calm breathe meditation mindfulness worry tension
happy joy | cheerful fun smile positive mood gratitude happiness
bored boredom | fun entertainment amuse game pastime joke leisure hobby
angry conflict | argument mediate resolve communicate partner coworker
confidence shy | self esteem coach practice social skill motivate
lazy procrastination | focus productivity motivate habit discipline pomodoro distraction
tired insomnia | sleep energy rest fatigue bedtime nap
habit routine | habits daily streak tracker goal morning discipline
goal ambition | goals achieve progress coach milestone resolution plan
advice coach | coaching mentor guidance counsel guide wisdom personal
life coach | personal growth development self improvement mentor
lucky luck | fortune lottery horoscope charm numbers
future predict | prediction forecast fortune prophecy predictive outlook
wife husband | spouse partner marriage anniversary couple gift romance
girlfriend boyfriend | date dating romantic relationship partner gift
mother mom | mum parent mothers family gift
son daughter | child children kid parent family school
parent parenting | child baby kid toddler mother father discipline milestones
grandmother grandfather | elderly senior family grandparents care
elderly senior | aging caregiver care retirement
colleague coworker | boss manager team office work feedback
neighbor neighborhood | local community area district safety
guest host | party invite dinner entertain event
birthday gift | surprise present idea wish card celebrate
gift recommendation | present ideas occasion shop personalized
picnic outdoor | park weather nature barbecue weekend
weekend getaway | trip plan activity leisure escape nearby
activity activities | things hobby class event experience outdoor excursion
date night | restaurant movie romantic dinner couple
kids activity | craft game educational fun coloring play family
rainy day | indoor activity game movie
move relocation | moving relocate house city neighborhood rent cost living
living cost | expense salary city rent compare
renovate renovation | remodel contractor kitchen bathroom interior design home
decorate decoration | decor interior furniture design room wall style
diy craft | crafts handmade project sewing knitting woodwork tutorial build
repair broken | fix troubleshoot mechanic manual technician
garden lawn | plants seed grow landscape flower vegetable soil
clean tidy | declutter organize laundry household chore
chore household | housework task family cleaning
save money | budget saving deal coupon discount cheap frugal
rich wealth | money invest millionaire income financial passive
side income | earn hustle freelance passive money online
afford budget | affordable cheap cost price income expense
owe debt | loan repay credit interest
spend spending | expense budget transaction track category
buy purchase | shopping order price product compare deal store
sell selling | listing marketplace seller price store auction
auction bid | bidding lot ebay listing
secondhand used | thrift marketplace vintage resale listing
product recommendation | products suggest best compare review shop brand
best product | top review rating compare buy guide
brand store | official shop collection products catalog
outfit style | clothes fashion wear wardrobe look stylist dress
hair haircut | hairstyle salon stylist beauty color
skin acne | skincare dermatologist beauty cosmetic routine
makeup beauty | cosmetic lipstick foundation look
perfume scent | fragrance smell aroma
tattoo | design ink body art
lose weight | diet calorie workout fitness slim fat
healthy lifestyle | health habits wellness diet exercise sleep nutrition
muscle strength | workout gym protein training exercise
stretch flexibility | yoga pilates mobility exercise
run marathon | running training pace distance race
doctor appointment | clinic medical book consult physician
ache pain | symptom headache back doctor relief
allergy allergic | pollen food ingredient reaction
pregnancy baby | pregnant due names newborn parent
vitamin supplement | supplements nutrient dosage health
hungry craving | food restaurant meal eat snack recipe delivery
dinner lunch | meal recipe cook restaurant food menu
leftover ingredient | ingredients fridge recipe cook meal pantry
vegan vegetarian | plant based diet recipe restaurant meatless
wine pairing | food cheese sommelier bottle drink
drink party | cocktail bar recipe alcohol
cuisine chinese italian | restaurant recipe indian mexican japanese thai food
hobby pastime | leisure interest club craft collect
collect collection | collectible collector rare coins stamps cards
learn skill | course tutorial lesson class practice teach training online
beginner tutorial | basics introduction learn guide step lesson
study exam | test prepare revision notes flashcard student quiz
homework assignment | student help solve answer tutor school math essay
essay thesis | academic write paper paragraph citation student
college admission | application university scholarship essay school apply
teacher classroom | lesson plan worksheet student grade school
worksheet exercise | practice problems students lesson
explain concept | understand simple teach topic tutor learn
lecture talk | video course professor ted speaker
knowledge fact | facts wikipedia answer question learn encyclopedia
question answer | answers ask expert qa knowledge faq
expert consult | consultant professional advisor advice specialist
language practice | learn speak conversation vocabulary english spanish french tutor
pronounce pronunciation | accent speak phonetic word
meaning word | definition dictionary meaning etymology
handwriting signature | write pen sign font
career change | job skills path advice resume coach transition
promotion raise | salary career negotiate boss
internship graduate | job student career entry
interview prepare | mock questions job practice
remote work | job online freelance home
work life | balance productivity stress
public speaking | speech presentation audience practice
toast speech | wedding write birthday
letter love | write romantic message poem
greeting card | birthday wish message holiday send
message draft | write reply email text tone
reply respond | response email message answer draft
polite formal | tone rewrite email professional
write blog | article post content seo author ideas
story idea | plot character prompt writing creative novel
imagine creative | creativity generate idea inspire art story
joke laugh | funny humor comedy meme fun
prank silly | funny joke laugh
play friends | game multiplayer party quiz trivia group
game recommendation | play video board similar steam
adventure quest | game story explore rpg text interactive
mystery detective | crime puzzle solve clue game story
escape room | puzzle game clue team
magic trick | magician illusion card
gamble casino | slot poker bet roulette
watch tonight | movie show streaming recommend film series
movie recommendation | watch similar film genre mood
similar recommend | recommendation like suggestions related alternatives
listen music | song playlist mood artist recommend podcast
concert tonight | event ticket band live venue
nightlife bar | club pub party drink dance
dance | dancing ballet salsa class music choreography
book recommendation | read similar author genre reading
audiobook listen | book narrate audio
celebrity gossip | entertainment news star famous
fan favorite | fans team idol celebrity
sports game tonight | score schedule live match team
bet match | odds prediction sports tip
fantasy league | sports players draft team lineup
photo memory | album family picture share
selfie portrait | photo face avatar filter headshot
logo business | brand design generate company
name idea | names generator brand baby pet business suggest
slogan catchy | tagline brand marketing copy
start business | startup idea plan entrepreneur company launch
business plan | startup strategy market finance model swot
pitch investor | deck startup funding venture capital
grow audience | followers marketing social content engagement traffic
viral trend | trending social tiktok content popular hashtag
trend trends | trending popular google search keyword topic insights
promote promotion | advertise marketing campaign ad brand
customer insight | analytics behavior segmentation feedback
find company | business lookup directory contact information profile
find people | person lookup profile contact search directory
background check | criminal record person verify identity
lost item | find track locate recover
track package | parcel delivery shipment status courier
send parcel | shipping courier postage rate
pickup delivery | order courier food grocery
open hours | opening store nearby time business
nearby place | local restaurant shop attraction find map
drive route | directions traffic road map car trip
road trip | drive route stops car itinerary
buy car | dealer vehicle used new price compare model
car trouble | mechanic repair vehicle maintenance diagnose
cheap flight | airfare deal fare search travel compare
pack luggage | packing list trip travel baggage
visa passport | travel country requirement embassy entry
foreign abroad | country travel study language visa
tourist sight | attraction landmark museum city guide
adventure sport | climbing diving rafting surfing outdoor
snow winter | ski snowboard resort cold
summer beach | vacation swim sun sea
stay overnight | hotel room accommodation rental night
vacation rental | airbnb house villa stay host property
house hunting | property real estate buy rent listing apartment
roommate room | rent apartment flat share housing
mortgage afford | loan house payment interest calculator
pension retire | retirement savings income plan
tax return | file deduction refund income irs
insurance claim | policy coverage accident insurer
legal trouble | lawyer law rights court advice attorney
divorce custody | family law lawyer child
tenant landlord | lease rent eviction rights
will inheritance | estate legal trust probate
scam suspicious | fraud fake phishing verify check link
fake true | fact check misinformation verify claim truth
safe safety | security risk protect danger trustworthy secure
privacy protect | data personal security vpn
ethics moral | philosophy dilemma value right wrong
meaning life | philosophy spiritual wisdom purpose
spiritual soul | meditation religion astrology tarot energy healing
god pray | prayer religion bible faith church
zodiac sign | horoscope astrology compatibility birth
dream meaning | interpretation dreams symbol sleep
personality quiz | test type trait mbti discover
brain memory | cognitive train puzzle improve memorize
kid learn | educational children school fun lesson
child story | bedtime kids tale read illustrated
pet care | dog cat vet food training breed
adopt pet | shelter dog cat rescue animal
wild nature | animal bird plant species identify wildlife
plant identify | species flower tree recognition
star night | astronomy sky constellation moon telescope planet
space mission | nasa rocket astronaut mars launch
science experiment | physics chemistry lab learn
invent invention | patent idea innovation inventor
news today | headlines current latest daily events summary
politics opinion | news debate election government
disaster help | emergency donate rescue relief
volunteer help | charity community donate nonprofit
earth climate | environment carbon sustainability green footprint
recycle waste | garbage trash environment reuse
save energy | electricity power bill solar efficient
weather outside | wear umbrella rain temperature outdoor today tomorrow
allergy season | pollen air quality forecast
countdown event | days until timer date
time abroad | timezone convert clock meeting
forget remember | reminder memory note task alarm
busy organize | schedule calendar plan tasks time productivity
plan party | event guest invitation birthday theme
wedding plan | venue budget guest vendor dress
long read | summary summarize article text document pdf key
chat document | pdf ask file question upload answer
understand document | explain summary contract pdf analyze
read later | save bookmark article link
bookmark favorite | save link collection list
online tool | website web service internet platform
website idea | build create site page design
app idea | build create mobile develop software
learn code | programming python tutorial course beginner
automate repetitive | automation workflow task bot schedule
spreadsheet help | excel formula sheet data table
visualize data | chart graph plot dashboard insight diagram
number crunch | calculate statistics math analysis compute
compute science | wolfram math formula calculate physics
convert units | measure length weight temperature currency
exchange money | currency rate convert foreign travel
invest beginner | stock fund portfolio advice learn
stock tip | trade market pick analysis prediction
crypto price | bitcoin coin market token trade
watch market | stock price alert index crypto
donate cause | charity nonprofit fundraising give
`;

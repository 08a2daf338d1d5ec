/** Subjects of travel, places, food, health, home, people, occasions and belief. */
export const DAILY_LIFE = `
travel trip | traveler traveller travelling wander explore globetrotter passport visa luggage souvenir roadtrip excursion sightsee vacationer journeys destinations overseas island beach
itinerary | schedule stops days plan route sightseeing
tour guide | guided excursion sightseeing tickets walking museum activities landmarks
hotel accommodation | hotels overnight bed breakfast nights checkin checkout vacancy homestay cottage cabin chalet villa hospitality stays bnb pension
flight airline | flights airfares layovers nonstop roundtrip depart departure arrival landing takeoff gate terminal pilot aircraft jet runway carrier aviation
airport | terminal gate runway iata icao flight departure arrival lounge
train rail | trains railways commuter timetable platform locomotive metro tram bullet
bus coach | transit stop route timetable commuter passenger
transit transport | bus metro subway tram train commute timetable fare transportation
ferry boat | ship harbor harbour sail yacht cruise marine vessel
cruise | ship voyage port cabin sail ocean
ride taxi | hail passenger fare chauffeur carpool lift drop off driver
car rental | hire rent vehicle pickup driver
car vehicle | engine horsepower mileage vin tyre tire mechanic dealership hybrid ev garage license plate motorcycle model dealer used
charging ev | electric charger station vehicle battery
fuel gas | petrol diesel gasoline station pump mileage
parking | garage lot car meter space
traffic | congestion jam road commute accident highway
map geography | maps latitude longitude geocode place location terrain satellite coordinate street region
geocode geocoding | address coordinates latitude longitude reverse location
navigate navigation | route direction map gps turn road shortest waypoint
bicycle cycling | bike cyclist trail ride path
hiking trail | hike trek mountain outdoor camping park walk backpack summit wilderness
camping | campground tent outdoor park rv campsite
ski snow | skiing slope resort winter mountain snowboard lift
surf tide | wave beach swell ocean sea marine swim
beach | sea ocean sand swim coast surf
weather forecast | weathers hot cold warm sunny cloudy fog hail hurricane typhoon tornado heatwave drizzle dew barometer uv wet
hurricane tornado | storm cyclone typhoon disaster warning alert
earthquake | seismic quake magnitude disaster tsunami
disaster emergency | flood earthquake wildfire hurricane alert evacuation rescue
sun sunrise | sunset solar dusk dawn daylight twilight
restaurant dining | restaurants reservation reserve menu bistro diner pizzeria sushi pizza buffet cuisine waiter michelin foodie takeaway takeout delicious vegan seafood
reservation booking | reserve book table room availability appointment slot
food | foods eat meal snack dish cuisine grocery taste flavor hungry ingredient edible
recipe cooking | recipes cooked dishes dessert soup pasta chicken vegetarian vegan oven grill roast fry sauce spice stir curry salad cookie bread culinary homemade
meal | breakfast lunch dinner menu recipe dish diet mealplan
grocery groceries | supermarket food shopping store ingredient cart fridge pantry
wine beer | drink alcohol brewery winery vineyard brew sommelier grape cocktail bar liquor whisky
cocktail | drink bartender bar mix mixology alcohol liquor gin rum vodka
coffee tea | cafe espresso latte brew barista bean
nutrition diet | food foods macros fat sodium sugar fiber fibre gluten keto vegan intake servings carbs supplement weight obesity
calorie | calories intake burn diet nutrition food kcal
fitness workout | workouts exercises strength weightlifting squat pushup bench bodybuilding stretching pilates reps personal trainer endurance stamina treadmill
running run | marathon jog jogging race pace runner distance
yoga | pose stretch meditation asana
meditation mindfulness | relax calm breathing stress anxiety sleep zen wellness
sleep | bedtime insomnia rest nap dream night
dream | dreams interpretation sleep nightmare meaning
bmi | body mass weight height obesity index
weight | bmi kilogram pound diet lose body
health medical | healthcare wellness symptoms sick fever pain headache clinical physician nurse surgery condition blood pressure cancer diabetes heart injury
doctor physician | clinic appointment hospital medical nurse specialist gp dentist
dentist dental | tooth teeth orthodontist clinic
symptom | symptoms disease diagnosis fever cough pain ache sick illness
disease | illness infection virus epidemic pandemic outbreak chronic diagnosis cure cancer diabetes
covid coronavirus | pandemic infection vaccine cases outbreak virus
mental therapy | depression anxiety stress counseling psychotherapy emotional wellbeing psychology
drug medication | drugs tablets pill dosage interactions fda antibiotic painkiller side effects generic
first aid | emergency injury wound bandage cpr
pregnancy | pregnant baby birth maternity fertility
hospital | clinic ward patient emergency bed doctor medical
medical trial | clinical trials patients study treatment
yoga pilates | class studio stretch
pet animal | pets puppy kitten animals adopt shelter breeder vet rabbit hamster
dog | puppy canine breed pet dogs
cat | kitten feline breed pet cats
animal wildlife | animals zoo mammal bird fish species endangered habitat insect reptile
bird | birds birding ornithology species
fish fishing | angler angling lake aquarium tide catch
plant garden | plants gardener houseplant watering seed flowers tree vegetable herb lawn landscaping botanical
farm agriculture | crop crops farming farmer soil harvest livestock irrigation
house property | houses homes estate realty buy sell tenant mortgage zillow listing neighborhood square footage apartments condominium townhouse
apartment rent | apartments flat tenant lease landlord studio roommate rental
mortgage | home loan house refinance interest borrow
interior | decor furniture room decorate design home renovation
repair maintenance | fix handyman plumber electrician broken renovation
home smart | light thermostat appliance lamp switch device automation iot door lock
cleaning | clean laundry housekeeping wash maid
baby kid | babies children parents infant toddler nursery name diaper
kids children | child story bedtime toy school cartoon activity parenting
toy | toys kids child play gift
name naming | baby brand names surname firstname domain generator
family genealogy | ancestry ancestor tree relative heritage surname
wedding | engagement bridal groom ceremony guests anniversary planner
dating | match partner romance tinder single relationship crush flirt couple
relationship | partner couple love friend marriage
birthday | party gift cake celebrate greeting card age
party | celebrate guests birthday event host invitation
gift present | gifts presents giftcard wishlist surprise valentine recipient mother father occasion
holiday | holidays public festival christmas easter calendar celebration observance
festival | festivals concert event celebration carnival music
event | events happenings local venue attend conference exhibition meetup workshop webinar organizer
ticket | tickets seat seats booking theatre admission stadium tour
concert | concerts gig live band tour venue ticket music
theater theatre | musical play broadway opera ballet stage show
museum | museums exhibits artworks collection curator
amusement park | rides attraction theme disney
astrology horoscope | horoscopes birth chart planets moon fortune compatibility natal astrological zodiac daily luck
tarot fortune | divination spread reading oracle psychic future deck cards iching luck
numerology | number lucky birth destiny
moon lunar | phase eclipse crescent calendar tide
religion faith | religious islam muslim christian jewish hindu buddhist bible quran torah verse scripture prayer church mosque temple spiritual god sermon
bible | verse scripture gospel psalm christian jesus testament
quran islam | surah ayah muslim prayer hadith ramadan islamic
prayer | pray times mosque church god worship
charity donation | donate nonprofit volunteer cause fundraising giving ngo
volunteer | charity nonprofit community help
lottery | jackpot lotto draw numbers ticket winning
betting odds | bet bookmaker gambling wager sports sportsbook
emergency | police ambulance fire hotline rescue
`;

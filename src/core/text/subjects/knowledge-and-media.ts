/** Subjects of news, entertainment, pictures, documents, language, learning and science. */
export const KNOWLEDGE_AND_MEDIA = `
news headline | headlines newspapers journalist report reports breaking latest stories story current happening events bbc cnn reuters world daily briefing
newspaper magazine | article press issue publication
article blog | articles blogs posts author read writing
podcast | podcasts episodes listen host spotify show
radio | station stations fm broadcast listen
music song | songs tracks artists album playlists spotify singing hits beat instrument guitar piano tune genre remix lyrics composer musician
lyrics | song lyric words sing music
playlist | playlists songs spotify music tracks mix
artist musician | artists band singer music album discography
chord guitar | chords piano instrument music notes tabs
movie film | movies films imdb hollywood cast actor actress netflix thriller comedy horror drama genre trailer watch watching director streaming box office
tv show | shows episodes seasons series anime drama sitcom airing streaming netflix hulu
anime manga | japanese cartoon episode otaku comic character series
comic | comics marvel superhero manga hero cartoon
streaming | netflix hulu disney watch stream movie twitch
actor celebrity | actress star famous cast biography
youtube video | videos channel channels vlog subscribers creator clip transcript watch
video | videos clip edit editing footage render montage animation animate shorts
game gaming | games gamer gamers steam xbox playstation nintendo minecraft fortnite roblox rpg multiplayer indie console pc levels
chess | board opponent opening move grandmaster checkmate elo
puzzle | sudoku crossword riddle wordle maze brain solve
riddle | puzzle brain teaser joke guess
card deck | cards poker shuffle draw playing magic
dungeon | rpg dnd dragon roleplay character adventure fantasy
roleplay character | persona chat story rpg fictional
dice | roll random die coin
trivia quiz | quizzes facts questions knowledge test
sport sports | games scores standings players teams leagues espn fixtures athletes olympics tennis golf hockey cricket rugby boxing ufc f1 live
football soccer | goal premier league fifa club fixture match player team uefa world
basketball | nba player team game score playoffs
baseball | mlb player team pitcher inning
tennis | player atp wta match tournament
golf | course tee handicap player tournament
formula racing | f1 race driver lap circuit grand prix
score | scores result match game live
team player | teams players roster squad club stats
league standings | table rank team season
book novel | books novels ebook ebooks bookstore kindle audiobook reader bestseller isbn publisher chapter fantasy mystery bibliography
library | book catalog borrow
author writer | authors book novel poet biography
poem poetry | poems poet rhyme verse haiku write
story | stories tale fiction narrative write plot character bedtime storytelling
quote | quotes quotation inspirational motivational saying wisdom famous
motivation | inspire inspirational encourage quote
joke humor | jokes pun puns comedy comedian laugh hilarious dad funny
meme gif | memes gifs funny image sticker giphy
fact trivia | facts random interesting knowledge
photo image | photos images pictures picture wallpaper stock unsplash camera portrait background artwork
image generation | generate picture ai art draw artwork illustration dalle midjourney stable diffusion create prompt
image edit | crop resize background remove filter retouch enhance photo photoshop
background | remove image transparent photo
face facial | recognition detection photo image person
ocr | text image scan recognize extract picture handwriting
object detection | image recognize classify vision label
avatar | profile image character portrait
icon logo | icons logos symbol brand svg design graphic
design | designer graphic template canva figma layout poster creative
poster flyer | banner design template graphic print
art painting | arts artworks paintings artists drawings sculpture museum gallery painter van gogh monet
drawing sketch | draw paint illustration doodle art
color palette | colors colour colours hex rgb scheme shade hue
font typography | fonts typeface text style
chart graph | charts graphs plots histogram scatter pie bar line visualise data visualization dashboard infographic
diagram flowchart | diagrams flowcharts mindmap mindmaps sequence architecture uml graph mermaid drawio visual org
mindmap | mind map diagram brainstorm ideas outline
infographic | chart visual diagram data
presentation slides | presentations powerpoint slideshow slide decks keynote pitch ppt
pdf document | pdfs documents pages file docs ebook paper chat
pdf convert | merge split file html word
document | documents docs file word paper text doc template
spreadsheet excel | spreadsheets sheets csv rows columns formulas cells google airtable workbook table xlsx
template | templates layout design form
summary summarize | summarise summaries summarizing condense brief key points overview gist shorten synopsis recap
transcript | transcripts subtitles captions video audio speech
subtitle caption | subtitles captions srt video movie
translation language | translations multilingual languages translating spanish french german italian korean arabic hindi portuguese russian foreign localize
language learning | vocabulary fluent pronunciation conversation duolingo lesson foreign words practice english spanish
dictionary word | words definitions meanings synonyms antonyms thesaurus etymology vocabulary spelling rhyme
synonym thesaurus | synonyms antonym word similar
rhyme | rhymes word poem lyrics
grammar spelling | spellcheck punctuation sentence correct mistakes writing proofreading
writing | write writer essay content paragraph copy text draft edit compose tone style
rewrite paraphrase | rephrase reword text tone plagiarism humanize
plagiarism | originality text detect copied essay duplicate
ai detector | chatgpt generated detect text human plagiarism
letter | letters cover write email formal
speech | speeches talk voice public presentation
prompt | prompts promptengineering chatgpt midjourney ai improve
chatbot assistant | bot ai agent conversation gpt
ai model | llm gpt machine learning neural openai huggingface inference embedding
machine learning | model training dataset classifier neural prediction ai regression
sentiment | emotion positive negative text analysis tone opinion
emotion mood | feeling sentiment happy sad
classify classification | category label categorize classifier predict
extract | extraction parse entities data text
research paper | papers preprint pubmed semantic scholar researchers citations doi bibliography journals publications study studies literature academia thesis
citation reference | citations bibliography cite apa mla paper source references
scientist researcher | scholar author publication paper scientific
encyclopedia wikipedia | encyclopaedia topic article knowledge wiki page information facts
education learning | educational learner students teacher tutoring classroom study
course class | courses classes online coursera udemy mooc certification lessons training syllabus enroll tutorial
tutor homework | tutoring assignment problem student explain teacher help
student grade | grades school students gpa class score
school university | schools universities colleges admission campus tuition scholarship college degree
exam test | exams sat quiz practice questions score preparation
flashcard memorize | flashcards anki cards memory study vocabulary
scholarship | financial aid student college tuition
lesson curriculum | lessons plan teacher syllabus classroom teach
child education | kids learn school
math mathematics | maths mathematical equations solver calculus algebra integral derivative matrix theorem numeric wolfram polynomial trigonometry
integral derivative | calculus function differentiate integrate gradient limit
equation solve | solver root quadratic linear algebra variable
matrix vector | determinant inverse eigenvalue linear algebra dot product
prime number | factor factorial divisor integer gcd lcm fibonacci
factor | prime divisor gcd multiple
percentage ratio | percent fraction proportion
probability | chance odds distribution random statistics binomial dice
statistics | statistical correlation median mode average sample standard deviation hypothesis value regression
average mean | median mode sum statistics
geometry | triangle circle polygon angle perimeter radius volume sphere hypotenuse
area surface | square rectangle circle triangle region volume
calculator | calculations arithmetic addition multiplication sum formula compute
unit measurement | units conversion metric imperial kilogram pound mile meter inch celsius ounces litre
temperature | celsius fahrenheit kelvin heat weather thermal
speed velocity | fast mph kilometers acceleration distance time
physics | force energy gravity momentum quantum wave thermodynamics mass acceleration electromagnetic mechanics kinetic
gravity | mass force acceleration planet fall
electric magnetic | field charge current voltage resistance ohm circuit magnet
heat thermal | temperature energy conductivity entropy
light wave | wavelength frequency optics photon
chemistry chemical | chemicals compounds molecules periodic element atom reaction ph acid molar formula
element | periodic atomic chemical atom
molecule compound | molecular chemical formula smiles structure
biology | cell cells organism genetics evolution protein dna ecology microbiology
gene protein | genes genome dna rna sequence mutation genetics crispr enzyme
evolution | species phylogenetic genetic
astronomy space | planets stars rocket spacex astronaut solar system comet asteroid universe cosmos launch orbit iss moon mars
satellite orbit | space iss launch track
planet star | planets stars solar orbit mass astronomy galaxy
history historical | historic medieval ancient wars timeline events kings past world century era
war battle | military army conflict history
country geography | countries nations continents capital flag population region border
city | cities town urban population place mayor
population | census demographic people inhabitants residents
philosophy | philosopher ethics wisdom socrates stoic
psychology | personality behavior mbti mind cognitive mental
personality | mbti trait test psychology character
brainstorm idea | ideas ideation creative creativity inspiration innovate
decision | decide choose option choice pros cons
argument debate | persuade opinion logic essay discuss
`;

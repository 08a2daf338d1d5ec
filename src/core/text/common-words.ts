import { stemEnglish } from './stem-english.ts';

// The most frequent words of English texts, most frequent first, without function words and proper
// names: by their order in the word list of GloVe 6B (public domain, PDDL 1.0).

const VERY_COMMON = `
said one new two first year people percent last government time world three president state
million may since many city made like national day country second company group four war
back south police well including team international week officials still even high part told
end former make billion work home school party house old later get another news long five
called military way used much next game take north security season public early according
several court say around foreign set political market however family life general left good
top university going number major known points won six month dollars bank members area found
place based among third took right local economic see best report killed held business west
came law women power think service children show help chief system support series play
office following meeting expected late league final added white history man men became want
march case run money began open name trade center oil film win led east central air come
town leader army line never little prime death least put forces past half know peace earlier
capital great union near released small department every health head night election region
director talks program statement development close record county plan financial recent
campaign become music need lead hit information control large press agency died deal attack
side main building decision stock give announced industry order age start administration
prices human asked players important move fire different issue received return level change
visit current vote book shares interest authorities term rate democratic trying results
executive production face association continue look problems live form increase position
served believe organization reached signed provide appeared relations hand hope operations
charges management turned performance allowed personal offer remain produced rule designed
critical
`;

const COMMON = `
ago big far today although born council along went must spokesman troops lost got already
though might free away economy water career seven better less due committee conference club
given often television young round india defense total bill southern population rose nuclear
street taken media secretary college community eight despite largest church station research
black story europe sales policy northern lot across per board football ministry workers fell
seen role students process agreement quarter full match growth yet possible western special
behind strong food period real car race enough site opposition keep future island road
outside really century almost single find album senior minutes together congress index hard
hours land action higher field cut coach river province park commission father son education
village energy shot short key red average pay exchange something gave victory low things
post social ever chairman job soldiers able parliament front himself private lower list
built efforts miles radio sent fourth always king tax title middle global wife located clear
ahead violence goal project border body soon crisis division tour hospital test technology
published weapons agreed nine summer act course senate medical star investors care art
presidential gold morning dead event previous cost instead band daily available drug
investment civil woman training involved similar situation fighting mark trial hold
australian thought study fall mother met song popular tv ground newspaper staff saw pressure
eastern legal budget considered love wrote stop aid brought decided failed network gas fact
vice especially common space loss justice thousands rather fund republic accused scored
championship example biggest sports means leave light arrested either battle class evidence
society stage construction various sold independent kind airport judge internet movement
room original data nothing sea bring annual present computer contract coast created demand
beat analysts interview child probably spent cooperation investigation video bad described
toward written throughout established mission buy growing green forward competition poor
latest question prison feel attention themselves firm injured governor movie range cross
track difficult wall rebels income chance species finished rise joined language rest serious
tournament inside scheduled immediately brown success residents meanwhile net hall deputy
heart champion award version grand institute step labor summit sometimes addition raised
longer joint ball beginning sure stay safety worth friends anything caused sources armed
claimed heavy noted parents spending particularly aircraft whole risk cannot matter science
access boston conditions details coalition compared break daughter natural museum strike
style paid rock view usually royal travel arrived hundreds response potential value idea
professional domestic credit married launched web everything weekend camp quickly finance
eventually measures blue ready plant certain voters modern fans commercial bid constitution
dropped brother drive negotiations affairs significant bomb warned religious figures victims
activities experience attorney standard proposed intelligence hotel magazine experts
quoted carried feet candidate fifth highest lake employees sell pacific reason flight square
overall passed focus bay date letter wide effect phone attempt profit estimated traditional
size practice double professor concerns refused sector review disease kept terrorism online
speech culture reform conflict limited material trip property paper threat seeking confirmed
plane route completed someone hill comment huge mayor husband mass premier cover couple mail
crime kilometers stand seems felt separate amid stadium speaking leadership emergency
declined treatment cabinet tell straight winner ban session progress ship appointed words
terrorist sense militants regular required lawyer debt guard wounded assembly expressed
character pro fuel supreme broke everyone actually equipment denied features approved
greater port ethnic status primary amount ran debate model decades individual festival
insurance goes impact urged heard centre illegal damage message baseball ties true challenge
prevent filed captain entire blood territory valley conservative earnings protection read
foundation search discuss perhaps journal murder address deep settlement simply nearby
relationship cash alone target lack consumer direct twice self beach zone scene communist
afternoon necessary navy quality sound spring missing criminal speed confidence beyond
software democracy section basis knew suicide resolution gone losing account commander
opportunity resources writer send suffered alleged alliance host declared injury type
environment protest suggested headquarters avoid improve citizens attended currency appeal
seats happened incident floor approach historic era gained bit tough inflation telephone
moment winter suspected debut fast boy railway mountain store famous patients reserve
weather hot channel female vehicles spread aimed freedom medal bridge representatives supply
cancer writing revenue fear ability retired customers sun corporate introduced academy
survey choice mind hearing add reduce replaced native assistant crowd complex quite entered
crew fine pounds environmental subject ten draw yards voice degree watch ice legislation
collection rejected rich influence shooting draft editor rival strategy girl happy giant
save wing prosecutors identified article optional doctors sanctions contributed owner secret
cast civilians fair lawmakers prepared wrong table committed rally ambassador ensure kids
documents initial polls corruption picture storm refugees defeat spot bond embassy request
trust ceremony guy occurred accept diplomatic facilities discovered contact airlines youth
safe penalty transport marriage highway door threatened passengers rescue apparently exports
failure specific card understand panel refer items benefits partner communications broadcast
driver box prize boost episode destroyed conducted image accident block heat push agent
structure normal advanced advantage convention respect farm bowl novel assets sister crash
basic slightly studio actor gun meters intended linked offensive technical numerous loans
opposed promised entertainment slow audience captured forest generation pick journalists
dozen bar dispute combat except combined missile package admitted affected extended hurt eye
minor engine artists waiting cell fish scale solution convicted strip foot digital
scientists stone promote answer task liberal determined adopted physical page allies
maintain trouble mixed divided innings edge windows plot sexual leg pulled removed
immigration dance suspended marine learned code surface jail dangerous agriculture rain row
male master existing flying lies fighters rare stability blamed machine insisted politicians
grant piece ranked electric mobile check boat statistics honor walk stake classic transfer
mine argued delegation explosion sentence witnesses blast count animals clean contains
seized abuse selected revealed branch brief municipality wind color alternative screen
edition pilot enforcement purchase electronic woods teacher balance opponents memorial
distribution brand suit connection favor acknowledged restaurant advertising remarks doubt
pair truck veteran duty manufacturing bird unlike forecast garden indicated retail
repeatedly struggle tree surprise resistance photos delay wave households dominated tourists
filled extremely treated remember registered surrounding formal apart defending cited proved
delivered wearing content acquired controversial notable imposed expand mount collapse
compete purpose settled shop invited recognized frequently dismissed display achieve updates
concluded pain neighboring applied expensive hole dog gathered stressed contest exercise
worried escape flow sitting employment occupied predicted pledged label athletes equal
withdrawal shape survived mentioned bear factor hired resume participate regulations pitch
explained jump exhibition clashes ill thanks fit function resigned skills welcome recalled
obtained nomination teaching resolve responded adviser inspired recovered method signal
application shift restrictions touch organisation roll consists raid regarding ride engaged
kick throw cook extensive lift amendment insurgents seed observers composed qualifying
speculation handle fixed deployed graduate format rapid prompted trail sponsored monitoring
encourage intense restore succeeded transition flood enjoy painting condemned license
recommended converted definitely renewed correct installed implementation moral burned
reflect assessment realize disappointed celebrated wonder sustained violations considerable
depending conversation symbol attracted intention possession punishment demonstrators
objects eliminated impressive photographs dress consultant canceled terminal arranged listen
preferred integration preserve proceedings mechanism donations coordinator examination
belonging concentration exploration translated collaboration confrontation adapted motivated
detective transformed recruited
`;

const VERY_COMMON_SHARE = 0.65;
const COMMON_SHARE = 0.85;

let shares: ReadonlyMap<string, number> | undefined;

/**
 * How much a term tells by how common it is in English, up to 1. A few hundred tools do not show that:
 * a common word that is in one description alone looks as if it told much.
 */
export function commonWordShare(term: string): number {
  shares ??= new Map([
    ...termsOf(COMMON).map((each) => [each, COMMON_SHARE] as const),
    ...termsOf(VERY_COMMON).map((each) => [each, VERY_COMMON_SHARE] as const),
  ]);
  return shares.get(term) ?? 1;
}

function termsOf(text: string): string[] {
  return text.trim().split(/\s+/).map(stemEnglish);
}

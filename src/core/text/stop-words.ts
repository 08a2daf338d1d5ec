/** English function words, and words that only ask. */
const ENGLISH =
  'a about above after again against all also am an and any are as at be because been before being ' +
  'below between both but by can could did do does doing done down during each few for from further ' +
  'had has have having he her here hers him his how i if in into is it its itself just let me more ' +
  'most my myself no nor not now of off on once only or other our ours out over own please same ' +
  'she should so some such than that the their theirs them then there these they this those ' +
  'through to too under until up upon us very was we were what when where whether which while who ' +
  'whose why will with within without would you your yours';

/** Pairs of characters that only ask or connect. */
const CHINESE =
  '什么 怎么 怎样 如何 为什 哪里 哪些 多少 请问 一个 可以 我们 你们 他们 这个 那个 是否 是什 么样 么办 有哪 的是 吗的';

/** Folded, not stemmed. */
export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(ENGLISH.split(' '));

/** Words that say nothing about what a query is about; folded, not stemmed. */
export const QUERY_STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${CHINESE}`.split(' '));

/** English words of requests: they say that something is wanted, and little about what. */
const REQUESTS =
  'able additionally advice any anything app application ask assist assistance available based best better certain ' +
  'check choose come comprehensive considering curious current currently detail detailed details determine ' +
  'different easily easy effectively efficiently engaging enhance enjoy ensure especially even exact example ' +
  'exciting explain explore famous feature features find focusing following found frustrated get give go goal ' +
  'goals going good great happening hello help hey hi ideal improve include includes including increase info ' +
  'information innovative insights interest interested keep kind know known latest learn like list look looking ' +
  'lot love main make many may much need needs new option options overall part particular perfect plan planning ' +
  'please popular possible potential preparing provide really receive recent recommend recommendation ' +
  'recommendations regarding related relevant reputable request require required respectively right say see ' +
  'seeking share show some something special specific start steps successful suggest suggestion suggestions ' +
  'suitable sure take tell thank thanks thing things think thorough time tips tool tools top try trying ' +
  'understanding unique upcoming use used using utilize variety various want wants way well wide wondering yes';

/** English words that are values more often than subjects: numbers, dates, order, amounts. */
const VALUES =
  'one two three four five six seven eight nine ten hundred thousand million first second third next last ' +
  'previous later past least less low high large long small another multiple around across near am pm ' +
  'january february march april june july august september october november december monday tuesday ' +
  'wednesday thursday friday saturday sunday today tomorrow yesterday week weekend don doesn isn can';

/** Folded, not stemmed. They count less than other words of a query, and more than those above. */
export const REQUEST_WORDS: ReadonlySet<string> = new Set(`${REQUESTS} ${VALUES}`.split(' '));

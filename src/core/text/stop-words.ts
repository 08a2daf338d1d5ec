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

/** Words that say nothing about what a query is about; folded, not stemmed. */
export const QUERY_STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${CHINESE}`.split(' '));

import type { RouteFacts } from '#core/llm/route.ts';

/**
 * Only the beginning and the end of a question are scanned; the middle is usually quoted material.
 */
const LOOKED_AT_CHARS = 4_000;
const MAX_WORDS_CHARS = 60;

const THINGS = 'news|headlines|weather|forecast|prices?|rates?|markets?|scores?|results|standings';

/** Phrases that clearly ask for recent information. */
const STRONG: readonly string[] = [
  `\\b(?:latest|breaking|recent|current|today['’]?s|this (?:week|month)['’]?s) (?:[\\w-]{1,20} ){0,2}(?:news|headlines|events|developments)\\b`,
  `\\b(?:latest|newest|most recent) (?:[\\w.-]{1,20} ){0,2}(?:version|release|update|prices?|rates?|score|standings|results)\\b`,
  `\\bcurrent (?:[\\w-]{1,20} ){0,2}(?:stock|share|bitcoin|gold|oil|gas|market|exchange) (?:prices?|rates?|value)\\b`,
  `\\bcurrent (?:weather|exchange rates?|interest rates?|president|prime minister|ceo)\\b`,
  `\\bnews (?:about|on|from) `,
  `\\bwhat(?:['’]s| is) (?:the latest|new (?:in|with|about)(?! (?:my|our|this|the|your) ))\\b`,
  `\\bweather (?:in|for|today|tomorrow|tonight|this week)\\b`,
  `\\b(?:search|browse|check|look (?:it |this |that )?up on) (?:the )?(?:web|internet)\\b`,
  `\\b(?:search|look (?:it |this |that )?up|find (?:it |this |that |out )?) ?online\\b`,
  `\\bas of (?:today|now|this (?:week|month|year))\\b`,
  `\\bup[- ]to[- ]date (?:information|info|data|news|figures)\\b`,
  `\\b(?:${THINGS})\\b[^.?!\\n]{0,30}\\b(?:today|tonight|yesterday|right now|this week)\\b`,
  `\\b(?:today|tonight|yesterday|this week)\\b[^.?!\\n]{0,30}\\b(?:${THINGS})\\b`,
  `\\bwho won\\b[^.?!\\n]{0,60}\\b(?:today|yesterday|last night|last week|this (?:week|month|year))\\b`,
  `\\b(?:neueste[nr]?|aktuelle[nr]?) (?:nachrichten|meldungen|version|kurse?|preise?)\\b`,
  `\\b(?:dernières (?:nouvelles|actualités)|actualités (?:du jour|récentes))`,
  `(?:últimas noticias|noticias de hoy)`,
  '最新(?:的)?(?:[\\w. -]{1,20})?(?:消息|新闻|新聞|动态|進展|进展|版本|价格|價格|数据|資料|情况)',
  '(?:今天|今日|现在|目前)的?(?:有什么|有哪些|有何)?(?:新闻|新聞|头条|天气|天氣|股价|股價|汇率|价格|油价|金价)',
  '(?:上网|联网|上網|網路|网上)(?:搜|查|找)',
  '最新の?(?:ニュース|情報|バージョン|価格)',
  '今日の?(?:ニュース|天気|株価)',
  '(?:ネット|ウェブ)で(?:検索|調べ)',
  '최신 ?(?:뉴스|소식|버전|정보)',
  '오늘의? ?(?:뉴스|날씨|주가|환율)',
  '(?:인터넷|웹)(?:에서|으로)? ?(?:검색|찾아)',
];

/** Phrases that may ask for recent information. */
const WEAK: readonly string[] = [
  `\\b(?:latest|newest|currently|nowadays|recently|today|tonight|yesterday|right now|up[- ]to[- ]date)\\b`,
  `\\bthis (?:week|month|year)\\b`,
  `\\b(?:heute|aktuell|derzeit|neueste[nrs]?)\\b`,
  `\\b(?:actuellement|récemment|actualmente|recientemente|hoy)\\b`,
  `aujourd['’]hui`,
  '最新|今天|今日|最近|目前|昨天|昨日|최신|최근|오늘|어제',
];

// Matched against lower-case text, as the flag `i` is many times slower.
const STRONG_WORDS = new RegExp(STRONG.join('|'));
const WEAK_WORDS = new RegExp(WEAK.join('|'));

/** Finds a phrase that asks for recent information. Code is ignored. */
export function detectRecency(question: string): RouteFacts['fresh'] {
  const prose = withoutCode(sampleText(question, LOOKED_AT_CHARS)).toLowerCase();
  const strong = STRONG_WORDS.exec(prose)?.[0];
  if (strong !== undefined) return { words: shown(strong), strength: 'strong' };
  const weak = WEAK_WORDS.exec(prose)?.[0];
  return weak === undefined ? undefined : { words: shown(weak), strength: 'weak' };
}

function shown(words: string): string {
  return words.trim().slice(0, MAX_WORDS_CHARS);
}

function withoutCode(text: string): string {
  return text
    .split(/```|~~~/)
    .filter((_, index) => index % 2 === 0)
    .join('\n')
    .replaceAll(/`[^`\n]{1,200}`/g, ' ');
}

/** The beginning and the end of a text, where the question usually is. */
export function sampleText(text: string, maxCharsEach: number): string {
  if (text.length <= 2 * maxCharsEach) return text;
  return `${text.slice(0, maxCharsEach)}\n${text.slice(-maxCharsEach)}`;
}

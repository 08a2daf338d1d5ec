import { blankPrefix } from './code-units.ts';

/**
 * What models say before they continue an answer: "Continuing from where I left off:", "Sure, here
 * is the rest:". Recognised by its form, a short first sentence that ends with a mark or a line
 * break, and by words for continuing.
 *
 * - `certain`: it speaks of the break, which no answer does by itself.
 * - `likely`: an answer may say it ("Here is the rest of the code:", "CONTINUED:"). It is removed only
 *   where the text so far ends within a sentence, or where a repetition follows it.
 */
export interface Preamble {
  /** Where the text after it begins, white space included. */
  readonly end: number;
  readonly is: 'certain' | 'likely';
}

/** Longer sentences are part of the answer. */
const MAX_PREAMBLE_CHARS = 120;
/** The longest sentence that ends with a period, and not with a colon, an ellipsis or a line break. */
const MAX_SENTENCE_CHARS = 60;

/** First words of a preamble, in lower case. Text that begins with none of them is never held back. */
const OPENERS: readonly string[] = (
  `sure | certainly | of course | ok | okay | understood | got it | right | absolutely | sorry | ` +
  `apologies | my apologies | i apologize | i apologise | as i was saying | continu | to continue | ` +
  `picking up | resuming | carrying on | let me | i'll | i’ll | i will | here's | here’s | here is | ` +
  `here are | the rest | rest of | natürlich | klar | gerne | entschuldigung | fortsetzung | ich fahre | ` +
  `ich setze | hier ist | hier geht | weiter geht | weiter mit | bien sûr | d'accord | d’accord | ` +
  `désolé | voici | je continue | je reprends | suite | reprenons | claro | por supuesto | perdón | ` +
  `lo siento | aquí | sigo | retomo | desculpe | aqui está | retomando | certo | ecco | riprendo | ` +
  `proseguo | scusa | конечно | хорошо | извин | продолж | вот | 好的 | 好 | 当然 | 抱歉 | 对不起 | 继续 | 接着 | 接上 | ` +
  `接下来 | 续 | 以下 | 下面 | 没问题 | 當然 | 對不起 | 繼續 | 續 | 沒問題 | はい | もちろん | 承知 | 申し訳 | 続き | 続け | 네 | 물론 | 죄송 | ` +
  `계속 | 이어서 | 다음은`
).split(' | ');

/** The openers by their first character: every answer is compared with them. */
const OPENERS_BY_FIRST: ReadonlyMap<string, readonly string[]> = new Map(
  OPENERS.map(([first = '']) => [first, OPENERS.filter((opener) => opener.startsWith(first))]),
);
const NO_OPENERS: readonly string[] = [];

/** Continuing, and the break itself, in one sentence. */
const BREAK: readonly RegExp[] = [
  /\b(?:continu\w+|pick\w* up|resum\w+|carry\w* on|rest|remainder)\b.{0,40}\b(?:left off|cut off|cut short|broke off|(?:i|we|it|you) stopped|interrupted|(?:previous|last|interrupted) (?:answer|response|reply|message))\b/i,
  /\b(?:sorry|apolog\w+)\b.{0,40}\b(?:interrupt\w+|cut off|cut short)\b/i,
  /\b(?:fort|fortsetzung|weiter)\b.{0,60}\b(?:unterbrochen|aufgehört|abgebrochen|abgeschnitten|stehen geblieben)\b/i,
  /\b(?:suite|continue|reprends|reprenons)\b.{0,60}(?:interrompu|arrêté|coupé)/i,
  /\b(?:contin[uú]\w*|sigo|retom\w+)\b.{0,60}(?:interrumpid|interrompid|dejé|quedé|parei|cortad)/i,
  /\b(?:riprendo|proseguo|continu\w+)\b.{0,60}(?:interrott|lasciat|fermat)/i,
  /продолж.{0,60}(?:прерва|остановил|оборвал|места)/i,
  /(?:继续|繼續|接着|接上|续|續).{0,30}(?:中断|中斷|断开|斷開|上文|上次|刚才|剛才|之前|停下|断掉|上面)|(?:中断|中斷|断开|斷開|上文|上次|刚才|剛才|之前|上面).{0,30}(?:继续|繼續|接着|接上|续|續)/,
  /(?:途中|中断|途切れ|先ほど).{0,30}(?:続)/,
  /(?:중단|끊긴|끊겼|멈춘).{0,30}(?:계속|이어)/,
];

/** Words for the rest of an answer. */
const REST: readonly RegExp[] = [
  /\b(?:continu\w*|rest|remainder|remaining|carry(?:ing)? on|pick(?:ing)? up|resum\w*)\b/i,
  /\b(?:fort|fortsetzung|rest|weiter)\b/i,
  /\b(?:suite|continue|reprends|reste|contin[uú]\w*|sigo|resto|restante|segue|prossegu\w*)\b/i,
  /(?:продолж|остальн|остаток)/i,
  /(?:继续|繼續|剩|余下|其余|後續|后续|续|續|接)/,
  /(?:続き|続け|残り|계속|나머지|이어)/,
];

/** Agreement before anything else, such as "Sure!", in the middle of a sentence of the answer. */
const AGREEMENT =
  /^(?:sure|certainly|of course|okay|ok|understood|got it|absolutely|natürlich|klar|gerne|bien sûr|d['’]accord|claro|por supuesto|certo|конечно|хорошо|好的|当然|當然|没问题|はい|もちろん|承知しました|네|물론입니다)[!.,，。！]$/iu;

const ENDING = /(?:\.{3}|[:：…!。！？?]|\.(?=\s|$)|\n)/u;
/** A note in brackets ends with its bracket, and may be on one line with the text. */
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '【': '】', '（': '）' };

function endingOf(head: string, from: number, bracket: string | undefined) {
  if (bracket === undefined) return ENDING.exec(head.slice(from));
  const at = head.indexOf(bracket, from);
  return at === -1 ? null : { 0: bracket, index: at - from };
}

const MARKUP = /^[\s*_#([【（]*/u;

/** `undecided`: what came so far may become a preamble. */
export function preambleOf(
  text: string,
  last: 'last' | 'more',
): Preamble | 'undecided' | undefined {
  const lead = MARKUP.exec(text)?.[0].length ?? 0;
  const head = text.slice(lead, lead + MAX_PREAMBLE_CHARS + 1);
  const words = head.toLowerCase();
  const bracket = CLOSING[text.slice(0, lead).trim().slice(-1)];
  const openers = words === '' ? OPENERS : (OPENERS_BY_FIRST.get(words.charAt(0)) ?? NO_OPENERS);
  if (!openers.some((opener) => words.startsWith(opener))) {
    const mayBecome = last === 'more' && openers.some((opener) => opener.startsWith(words));
    return mayBecome ? 'undecided' : undefined;
  }
  let from = 0;
  let agreed = 0;
  // "Sure! Here is the rest:" is two sentences.
  for (let sentence = 0; sentence < 3; sentence++) {
    const mark = endingOf(head, from, bracket);
    if (!mark) {
      if (last === 'more' && head.length <= MAX_PREAMBLE_CHARS) return 'undecided';
      break;
    }
    from += mark.index + mark[0].length;
    // The period may become an ellipsis.
    if (mark[0] === '.' && from === head.length && last === 'more') return 'undecided';
    const closing = /^[)\]】）*_]*/u.exec(head.slice(from))?.[0].length ?? 0;
    const said = head.slice(0, from).trim();
    const end = lead + from + closing;
    const isIntroduction =
      /(?:[:：…\n]|\.{3})$/u.test(head.slice(0, from)) ||
      (agreed > 0 && /^\s*\n/.test(head.slice(from))) ||
      closing > 0 ||
      bracket !== undefined;
    const isShort = said.length <= MAX_SENTENCE_CHARS;
    if ((isIntroduction || isShort) && BREAK.some((pattern) => pattern.test(said)))
      return found(text, end, 'certain', last);
    // A single character may be the end of a word that was cut.
    const hasWord = /\p{L}.*\p{L}/u.test(said);
    if (isIntroduction && hasWord && REST.some((pattern) => pattern.test(said)))
      return found(text, end, 'likely', last);
    if (!AGREEMENT.test(said)) break;
    agreed = end;
  }
  return agreed > 0 ? found(text, agreed, 'likely', last) : undefined;
}

/** The white space after it must be known, too. */
function found(
  text: string,
  end: number,
  is: Preamble['is'],
  last: 'last' | 'more',
): Preamble | 'undecided' {
  const isOpen = end + blankPrefix(text, end) === text.length && last === 'more';
  return isOpen ? 'undecided' : { end, is };
}

/** Ranges of characters that take two columns: East Asian wide and full-width. */
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE10-\uFE19\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{16FE0}-\u{18DFF}\u{1AFF0}-\u{1B2FF}\u{1F200}-\u{1F2FF}\u{20000}-\u{3FFFD}]/u;
/** Characters that take no column. */
const ZERO = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u1160-\u11FF\uD7B0-\uD7FF]/u;
const EMOJI = /\p{Emoji_Presentation}/u;
const PICTURE = /\p{Extended_Pictographic}/u;
const ASCII = /^[\u0020-\u007E]*$/;
/** Colours and styles, which take no room. */
// eslint-disable-next-line no-control-regex -- the escape character is what is looked for
const STYLES = /\u001B\[\d+m/g;

const JOINER = 0x20_0d;
const EMOJI_SELECTOR = 0xfe_0f;

/** The columns that a text takes on a terminal. Colours and styles take none. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { columns } of measureCharacters(text.replaceAll(STYLES, ''))) width += columns;
  return width;
}

export interface MeasuredCharacter {
  readonly text: string;
  readonly columns: number;
}

/** The characters of a text as a reader sees them, with the columns of each. */
export function* measureCharacters(text: string): Generator<MeasuredCharacter> {
  let current = '';
  let columns = 0;
  let isJoined = false;
  let isPicture = false;
  let flagParts = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const isFlagPart = code >= 0x1_f1e6 && code <= 0x1_f1ff;
    const isModifier = code >= 0x1_f3fb && code <= 0x1_f3ff;
    const extendsLast =
      current !== '' &&
      ((isJoined && isPicture) ||
        (isModifier && isPicture) ||
        (isFlagPart && flagParts === 1) ||
        (code > 0x7e && ZERO.test(char)));
    if (!extendsLast) {
      if (current !== '') yield { text: current, columns };
      current = '';
      columns = columnsOf(char, code);
      isPicture = code > 0xa8 && PICTURE.test(char);
      flagParts = 0;
    }
    current += char;
    if (isFlagPart) flagParts += 1;
    if (code === EMOJI_SELECTOR && isPicture) columns = 2;
    isJoined = code === JOINER;
  }
  if (current !== '') yield { text: current, columns };
}

function columnsOf(char: string, code: number): number {
  if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : 1;
  if (code >= 0x1_f1e6 && code <= 0x1_f1ff) return 2;
  if (ZERO.test(char)) return 0;
  return WIDE.test(char) || EMOJI.test(char) ? 2 : 1;
}

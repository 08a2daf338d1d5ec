/**
 * Characters that a terminal acts on, or that change or hide what is read: C0 and C1 controls,
 * directional controls, zero-width and tag characters, line separators, unpaired surrogates. Tabs
 * and line breaks are text.
 */
const UNSAFE =
  /(?![\t\n])[\p{Cc}\p{Cs}\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E01EF}]/gu;
const CONTROLS = /(?![\t\n])[\p{Cc}\p{Cs}]/gu;
/** JSON leaves these unescaped. Outside of strings it has none of them. */
const UNSAFE_IN_JSON =
  /[\u007F-\u009F\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\uDB40[\uDC00-\uDDEF]/g;
/** All text of a usual answer, which needs no second look. */
const PLAIN = /^[\t\n\u0020-\u007E]*$/;

/**
 * The control sequences of this program: colours and styles (`ansi` of colors.ts), and the erased
 * line below which a spinner is drawn again.
 */
// eslint-disable-next-line no-control-regex -- the escape character is what is looked for
const OWN_SEQUENCES = /\u001B\[(?:[1-4]|9|2[2-4]|29|3[1-6]|39)m|\r\u001B\[K/y;
/** Those of a line editor, which moves the cursor in the line that the user types. */
const EDITOR_SEQUENCES =
  // eslint-disable-next-line no-control-regex -- the escape character is what is looked for
  /\u001B\[(?:\d{0,4}(?:;\d{0,4})?[ABCDGHJKm]|\?2004[hl])|\r|\u0007/y;

/** Escapes control characters of foreign text, so that they are shown. Carriage returns are left out. */
export function escapeControls(text: string): string {
  return replaceUnsafe(text, CONTROLS);
}

/**
 * Escapes everything that a terminal must not get from foreign text. `before` is the text that was
 * shown before it, which decides whether a joiner belongs to a character.
 */
export function escapeUnsafe(text: string, before = ''): string {
  return replaceUnsafe(text, UNSAFE, { before });
}

/** What may be written to one kind of output. All output of commands passes here. */
export function escapeOutput(
  text: string,
  kind: 'terminal' | 'editor' | 'pipe',
  before = '',
): string {
  if (kind === 'pipe') return replaceUnsafe(text, UNSAFE, { before });
  const own = kind === 'editor' ? EDITOR_SEQUENCES : OWN_SEQUENCES;
  return replaceUnsafe(text, UNSAFE, { own, before });
}

/** Escapes the same characters in a JSON text. */
export function escapeJsonControls(json: string): string {
  return json.replaceAll(UNSAFE_IN_JSON, (chars) =>
    Array.from({ length: chars.length }, (_, at) => `\\u${hex(chars.charCodeAt(at))}`).join(''),
  );
}

interface ReplaceOptions {
  readonly before?: string;
  /** Sequences that are written unchanged. */
  readonly own?: RegExp;
}

function replaceUnsafe(text: string, unsafe: RegExp, options: ReplaceOptions = {}): string {
  if (PLAIN.test(text)) return text;
  const { before = '', own } = options;
  const safe: string[] = [];
  // The end of what was shown. Cutting it from the whole text for each character would take time
  // that grows with the square of the length.
  let context = before.slice(-CONTEXT_CHARS);
  const add = (piece: string) => {
    safe.push(piece);
    context = (context + piece.slice(-CONTEXT_CHARS)).slice(-CONTEXT_CHARS);
  };
  let at = 0;
  unsafe.lastIndex = 0;
  for (let found = unsafe.exec(text); found; found = unsafe.exec(text)) {
    const [char] = found;
    add(text.slice(at, found.index));
    at = found.index + char.length;
    const sequence = own && matchAt(own, text, found.index);
    if (sequence !== undefined) {
      add(sequence);
      at = found.index + sequence.length;
      unsafe.lastIndex = at;
    } else if (isPartOfCharacter(char, context)) add(char);
    else if (char !== '\r') add(`\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
  }
  safe.push(text.slice(at));
  return safe.join('');
}

function matchAt(shape: RegExp, text: string, at: number): string | undefined {
  shape.lastIndex = at;
  return shape.exec(text)?.[0];
}

/** A letter of a script that uses joiners, or an emoji. */
const JOINED =
  /(?:(?![\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}])[\p{L}\p{M}]|\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})$/u;
const IDEOGRAPH = /\p{Script=Han}$/u;
const FLAG = /\u{1F3F4}[\u{E0020}-\u{E007E}]{0,8}$/u;
/** The longest text before a character that decides about it. */
const CONTEXT_CHARS = 24;

/** Whether an invisible character is a proper part of the character before it. */
function isPartOfCharacter(char: string, context: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  const isJoiner = code >= 0x20_0b && code <= 0x20_0d;
  if (!isJoiner && code < 0xe_0020) return false;
  if (isJoiner) return JOINED.test(context);
  if (code >= 0xe_0100) return IDEOGRAPH.test(context);
  return code <= 0xe_007f && FLAG.test(context);
}

function hex(unit: number): string {
  return unit.toString(16).padStart(4, '0');
}

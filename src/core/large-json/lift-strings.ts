/** JSON whose long strings are replaced by marks, and these strings in their order. */
export interface LiftedJson {
  readonly text: string;
  readonly strings: readonly string[];
}

export interface LiftOptions {
  /** Strings of at least this many bytes are lifted out. */
  readonly minBytes: number;
  /** Begins every mark; the JSON must not contain it, so it is a random text of plain characters. */
  readonly mark: string;
  /** Bytes of a string that are decoded at once; default: 1 MiB. */
  readonly sliceBytes?: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SLICE_BYTES = 1024 * 1024;
/** Quotes that are looked at between two pauses; each costs about 50 ns. */
const QUOTES_PER_STEP = 50_000;
/** The longest escape: `\u0000`. */
const ESCAPE_BYTES = 6;

/**
 * Lifts the long string values out of JSON in UTF-8. It yields after each few milliseconds of work,
 * so that the caller can pause. Names of members stay. What is not JSON stays as it is, so that the
 * parser refuses it; throws a SyntaxError for a long string that is invalid.
 */
export function* liftStrings(
  bytes: Buffer,
  { minBytes, mark, sliceBytes = SLICE_BYTES }: LiftOptions,
): Generator<undefined, LiftedJson> {
  const strings: string[] = [];
  const texts: string[] = [];
  let copied = 0;
  let quotes = 0;
  for (let open = bytes.indexOf(QUOTE); open !== -1;) {
    // The closing quote: the next one that no backslash escapes.
    let close = open;
    do {
      close = bytes.indexOf(QUOTE, close + 1);
      quotes += 1;
      if (quotes % QUOTES_PER_STEP === 0) yield;
    } while (close !== -1 && isEscaped(bytes, close, open));
    if (close === -1) break;
    if (close - open > minBytes && !isName(bytes, close)) {
      texts.push(bytes.toString('utf8', copied, open), `"${mark}${strings.length}"`);
      strings.push(yield* decodeString(bytes, open + 1, close, sliceBytes));
      copied = close + 1;
    }
    open = bytes.indexOf(QUOTE, close + 1);
  }
  texts.push(bytes.toString('utf8', copied));
  return { text: texts.join(''), strings };
}

/** Values that are looked at between two pauses. */
const VALUES_PER_STEP = 20_000;

/** Puts lifted strings back into the parsed value of the text, which it changes. Yields as above. */
export function* restoreStrings(
  value: unknown,
  strings: readonly string[],
  mark: string,
): Generator<undefined, unknown> {
  const restored = (each: unknown) =>
    typeof each === 'string' && each.startsWith(mark)
      ? (strings[Number(each.slice(mark.length))] ?? each)
      : each;
  const open: unknown[] = [value];
  let seen = 0;
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (typeof each !== 'object' || each === null) continue;
    const members = each as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const inner = members[key];
      if (typeof inner === 'string') {
        if (inner.startsWith(mark)) members[key] = restored(inner);
      } else if (typeof inner === 'object' && inner !== null) open.push(inner);
      seen += 1;
      if (seen % VALUES_PER_STEP === 0) yield;
    }
  }
  return restored(value);
}

/** Whether an odd number of backslashes precedes a position; a run begins after `from`. */
function isEscaped(bytes: Buffer, at: number, from: number): boolean {
  let run = 0;
  while (at - 1 - run > from && bytes[at - 1 - run] === BACKSLASH) run += 1;
  return run % 2 === 1;
}

function isName(bytes: Buffer, close: number): boolean {
  let at = close + 1;
  while (isSpace(bytes[at])) at += 1;
  return bytes[at] === COLON;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function* decodeString(
  bytes: Buffer,
  from: number,
  to: number,
  sliceBytes: number,
): Generator<undefined, string> {
  // Base64, mostly: one copy of it is enough.
  if (yield* isPlain(bytes, from, to, sliceBytes)) return bytes.toString('latin1', from, to);
  const slices: string[] = [];
  for (let at = from; at < to;) {
    const end = at + sliceBytes >= to ? to : safeCut(bytes, at, at + sliceBytes);
    slices.push(parseSlice(bytes.toString('utf8', at, end)));
    at = end;
    yield;
  }
  return slices.join('');
}

/** Whether a string is printable ASCII without escapes, so that its bytes are its characters. */
function* isPlain(
  bytes: Buffer,
  from: number,
  to: number,
  sliceBytes: number,
): Generator<undefined, boolean> {
  for (let at = from; at < to; at += sliceBytes) {
    if (!isPlainSlice(bytes, at, Math.min(at + sliceBytes, to))) return false;
    yield;
  }
  return true;
}

function isPlainSlice(bytes: Buffer, from: number, to: number): boolean {
  const slice = bytes.subarray(from, to);
  return !slice.includes(BACKSLASH) && isPrintable(slice);
}

const WORD_BYTES = 4;
/** Each printable character of ASCII has one of these two bits, no control character has one. */
const PRINTABLE_BITS = 0x60;
const LOWER_BITS = 0x20202020;
const HIGH_BITS = 0x80808080 | 0;
const LAST_OF_ASCII = 0x7f;

/** Whether all bytes are printable ASCII; looks at four of them at once. */
function isPrintable(bytes: Buffer): boolean {
  const { buffer, byteOffset, length } = bytes;
  const start = (WORD_BYTES - (byteOffset % WORD_BYTES)) % WORD_BYTES;
  if (length < start + WORD_BYTES) return bytes.every(isPrintableByte);
  const words = new Int32Array(
    buffer,
    byteOffset + start,
    Math.floor((length - start) / WORD_BYTES),
  );
  // By index: an iterator takes several times as long.
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? 0;
    if ((word & HIGH_BITS) !== 0 || (((word >> 1) | word) & LOWER_BITS) !== LOWER_BITS)
      return false;
  }
  const end = start + words.length * WORD_BYTES;
  return (
    bytes.subarray(0, start).every(isPrintableByte) && bytes.subarray(end).every(isPrintableByte)
  );
}

function isPrintableByte(byte: number): boolean {
  return byte <= LAST_OF_ASCII && (byte & PRINTABLE_BITS) !== 0;
}

function parseSlice(slice: string): string {
  try {
    return JSON.parse(`"${slice}"`) as string;
  } catch {
    // The parser's message quotes the text.
    throw new SyntaxError('A string has an invalid escape or a control character.');
  }
}

/** The last position up to `at` that is not within an escape or a character. */
function safeCut(bytes: Buffer, from: number, at: number): number {
  const first = Math.max(from + 1, at - ESCAPE_BYTES + 1);
  for (let last = at - 1; last >= first; last--) {
    if (bytes[last] !== BACKSLASH) continue;
    // An escape that begins here could reach across the position.
    if (!isEscaped(bytes, last, from - 1)) return last;
    break;
  }
  let cut = at;
  while (cut > from && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return cut;
}

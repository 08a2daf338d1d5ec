/** Classes of UTF-16 units by their token cost. */
export const KIND = {
  symbol: 0,
  lower: 1,
  upper: 2,
  digit: 3,
  space: 4,
  newline: 5,
  /** Accented letters, part of Latin words. */
  accented: 6,
  /** Cyrillic and Greek. */
  alphabet: 7,
  ideograph: 8,
  kana: 9,
  hangul: 10,
  /** Hebrew to Thai: scripts that vocabularies merge to some degree. */
  script: 11,
  /** Rare scripts, tokenized byte by byte. */
  rare: 12,
  /** Surrogates, mostly of emoji. */
  surrogate: 13,
  /** Dashes, quotes, arrows, boxes, and the marks of Chinese and Japanese. */
  mark: 14,
} as const;

/** Later rows win. */
const RANGES: readonly (readonly [from: number, to: number, kind: number])[] = [
  [0x00, 0x7f, KIND.symbol],
  [0x61, 0x7a, KIND.lower],
  [0x41, 0x5a, KIND.upper],
  [0x30, 0x39, KIND.digit],
  [0x20, 0x20, KIND.space],
  [0x09, 0x09, KIND.space],
  [0x0a, 0x0a, KIND.newline],
  [0x0d, 0x0d, KIND.newline],
  [0x80, 0xbf, KIND.mark],
  [0xc0, 0x24f, KIND.accented],
  [0x300, 0x36f, KIND.accented],
  [0x370, 0x52f, KIND.alphabet],
  [0x590, 0xe7f, KIND.script],
  [0x1100, 0x11ff, KIND.hangul],
  [0x1e00, 0x1eff, KIND.accented],
  [0x2000, 0x2bff, KIND.mark],
  [0x3000, 0x303f, KIND.mark],
  [0x3040, 0x30ff, KIND.kana],
  [0x3130, 0x318f, KIND.hangul],
  [0x31f0, 0x31ff, KIND.kana],
  [0x3400, 0x4dbf, KIND.rare],
  [0x4e00, 0x9fff, KIND.ideograph],
  [0xac00, 0xd7a3, KIND.hangul],
  [0xd800, 0xdfff, KIND.surrogate],
  [0xff01, 0xff65, KIND.mark],
  [0xff66, 0xff9f, KIND.kana],
];

const UNITS = 65_536;

/** The kind of every UTF-16 unit, by its number. */
export const KINDS: Uint8Array = kinds();

function kinds(): Uint8Array {
  const table = new Uint8Array(UNITS).fill(KIND.rare);
  for (const [from, to, kind] of RANGES) table.fill(kind, from, to + 1);
  return table;
}

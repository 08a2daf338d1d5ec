/** Symbols of the fonts that Word uses for them, by the last two digits of their code. */
const WINGDINGS: Readonly<Record<string, string>> = {
  '6c': '●',
  '6e': '■',
  '6f': '□',
  '71': '❑',
  '72': '❒',
  '74': '⧫',
  '76': '❖',
  a7: '▪',
  a8: '◻',
  d8: '➢',
  df: '←',
  e0: '→',
  e1: '↑',
  e2: '↓',
  e8: '➔',
  fb: '✗',
  fc: '✓',
  fd: '☒',
  fe: '☑',
  '4a': '☺',
  '4c': '☹',
};

const SYMBOL: Readonly<Record<string, string>> = {
  '61': 'α',
  '62': 'β',
  '63': 'χ',
  '64': 'δ',
  '65': 'ε',
  '66': 'φ',
  '67': 'γ',
  '68': 'η',
  '6c': 'λ',
  '6d': 'μ',
  '6e': 'ν',
  '70': 'π',
  '71': 'θ',
  '72': 'ρ',
  '73': 'σ',
  '74': 'τ',
  '77': 'ω',
  '44': 'Δ',
  '53': 'Σ',
  '57': 'Ω',
  a3: '≤',
  a5: '∞',
  ac: '←',
  ae: '→',
  b0: '°',
  b1: '±',
  b3: '≥',
  b4: '×',
  b7: '•',
  b8: '÷',
  b9: '≠',
  bb: '≈',
  d6: '√',
  e5: '∑',
  f2: '∫',
};

/** The character of `<w:sym>`; those of other fonts are characters of Unicode. */
export function symbolText(code: string, font: string): string {
  const value = Number.parseInt(code, 16);
  if (!Number.isInteger(value) || value < 32 || value > 0x10ffff) return '';
  const low = (value & 0xff).toString(16).padStart(2, '0');
  if (/wingdings/i.test(font)) return WINGDINGS[low] ?? '▪';
  if (/^symbol$/i.test(font) && SYMBOL[low] !== undefined) return SYMBOL[low];
  // Symbol fonts are mapped into a private area.
  return String.fromCodePoint(value >= 0xf000 && value <= 0xf0ff ? value - 0xf000 : value);
}

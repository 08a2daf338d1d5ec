/** What a group of RTF is for; `skipped` for what no reader sees. */
export type RtfDestination =
  | 'text'
  | 'skipped'
  | 'info'
  | 'fonts'
  | 'styles'
  | 'title'
  | 'author'
  | 'fieldCode'
  | 'fieldResult'
  | 'listMarker'
  | 'footnote'
  | 'margin'
  | 'comment'
  | 'textBox';

/** Groups by their first control word. Those after `\*` that are not here are skipped. */
export const DESTINATIONS: Readonly<Record<string, RtfDestination>> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  info: 'info',
  title: 'title',
  author: 'author',
  fldinst: 'fieldCode',
  fldrslt: 'fieldResult',
  listtext: 'listMarker',
  pntext: 'listMarker',
  footnote: 'footnote',
  annotation: 'comment',
  shptxt: 'textBox',
  header: 'margin',
  headerl: 'margin',
  headerr: 'margin',
  headerf: 'margin',
  footer: 'margin',
  footerl: 'margin',
  footerr: 'margin',
  footerf: 'margin',
  ...skipped(
    'atnauthor',
    'atnid',
    'bkmkend',
    'bkmkstart',
    'blipuid',
    'buptim',
    'colortbl',
    'comment',
    'creatim',
    'datafield',
    'doccomm',
    'do',
    'dptxbxtext',
    'factoidname',
    'falt',
    'filetbl',
    'ftncn',
    'ftnsep',
    'ftnsepc',
    'aftncn',
    'aftnsep',
    'aftnsepc',
    'generator',
    'hlinkbase',
    'keywords',
    'latentstyles',
    'listoverridetable',
    'listtable',
    'manager',
    'nonesttables',
    'nonshppict',
    'objalias',
    'objclass',
    'objdata',
    'objname',
    'operator',
    'panose',
    'pict',
    'pn',
    'printim',
    'private1',
    'revtbl',
    'revtim',
    'rsidtbl',
    'rxe',
    'shprslt',
    'sp',
    'subject',
    'tc',
    'template',
    'themedata',
    'txe',
    'upr',
    'userprops',
    'xe',
    'xmlnstbl',
  ),
};

/** Groups after `\*` whose content is read as if it was not marked. */
export const TRANSPARENT: ReadonlySet<string> = new Set([
  'shpinst',
  'shppict',
  'shpgrp',
  'ud',
  'nesttableprops',
  'moMath',
  'mmath',
  'mr',
  'mt',
]);

function skipped(...words: readonly string[]): Record<string, RtfDestination> {
  return Object.fromEntries(words.map((word) => [word, 'skipped' as const]));
}

/** Control words that are one character. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  lbr: '\n',
  emdash: '—',
  endash: '–',
  emspace: '\u2003',
  enspace: '\u2002',
  qmspace: '\u2005',
  bullet: '•',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  zwj: '\u200d',
  zwnj: '\u200c',
};

const CHARSETS: Readonly<Record<number, number>> = {
  0: 1252,
  77: 10_000,
  78: 10_001,
  79: 10_003,
  80: 10_008,
  81: 10_002,
  128: 932,
  129: 949,
  130: 1361,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};

/** The code page of the character set of a font. */
export function codePageOfCharset(charset: number): number | undefined {
  return CHARSETS[charset];
}

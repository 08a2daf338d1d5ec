import { STRING } from '#core/json-text/json-text.ts';
import type { ServerEntry } from './client-definition.ts';
import type { SettingsFormatName } from './edit-settings.ts';

// The text around our entry may have other servers' keys, and diffs end up in terminals,
// screenshots and bug reports. Keys cannot be recognised reliably, so only the structure of foreign
// settings is shown, never their strings.

const HIDDEN = '…';
const MAX_SHOWN_CHARS = 160;
/**
 * Keys whose values identify a server. Only single words are shown, because a command line may have
 * a key.
 */
const IDENTIFYING_KEYS = new Set(['command', 'type']);
const WORD = /^["'][\w.-]{0,11}["']$/;
const LITERAL = /^(?:true|false|null|[+-]?\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?)$/;

type Kind = 'blank' | 'comment' | 'text' | 'bare' | 'sign';
type Expected = 'name' | 'value';

interface Language {
  readonly tokens: Readonly<Record<Expected, RegExp>>;
  /** `lines`: outside of brackets each line starts with a name. */
  readonly goesBy: 'brackets' | 'lines';
}

const KINDS: readonly Kind[] = ['blank', 'comment', 'text', 'bare', 'sign'];

/** One pattern with a group for each kind, for speed: a file may have millions of tokens. */
function tokenPattern(patterns: Readonly<Record<Kind, RegExp>>): RegExp {
  return new RegExp(KINDS.map((kind) => `(${patterns[kind].source})`).join('|'), 'y');
}

const JSON_TOKENS = {
  blank: /[ \t\r\n]+/,
  comment: /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//,
  text: STRING,
  sign: /[{}[\],:]/,
};

/** Multi-line strings, which may end with extra quotes, and single-line ones. */
const TOML_TEXTS = [
  /"""[^\\"]*(?:(?:\\[\s\S]|"(?!""))[^\\"]*)*"{3,5}/,
  /'''[\s\S]*?'{3,5}/,
  /(?!""")"[^"\\\n]*(?:\\.[^"\\\n]*)*"/,
  /(?!''')'[^'\n]*'/,
];

const TOML_TOKENS = {
  blank: /[ \t\r]+|\n/,
  comment: /#[^\n]*/,
  text: new RegExp(TOML_TEXTS.map(({ source }) => source).join('|')),
  sign: /[{}[\],=.]/,
};

const BARE_VALUE = /[\w+.:-]+/;
const NOTHING = /(?!)/;

const JSON_LANGUAGE: Language = {
  tokens: {
    name: tokenPattern({ ...JSON_TOKENS, bare: NOTHING }),
    value: tokenPattern({ ...JSON_TOKENS, bare: BARE_VALUE }),
  },
  goesBy: 'brackets',
};

const TOML_LANGUAGE: Language = {
  tokens: {
    name: tokenPattern({ ...TOML_TOKENS, bare: /[\w-]+/ }),
    value: tokenPattern({ ...TOML_TOKENS, bare: BARE_VALUE }),
  },
  goesBy: 'lines',
};

/**
 * The lines of a settings file as they may be shown: names, brackets and numbers, and strings of
 * `ours`, the entries that we wrote or will write. Nothing is shown after a syntax error.
 */
export function maskLines(
  text: string,
  format: SettingsFormatName,
  ours: readonly ServerEntry[],
): string[] {
  const language = format === 'toml' ? TOML_LANGUAGE : JSON_LANGUAGE;
  const ownTexts = new Set(ours.flatMap(textsOf).map((each) => JSON.stringify(each)));
  const place: MaskState = { expected: language.goesBy === 'lines' ? 'name' : 'value', open: [] };
  let shown = '';
  let at = 0;
  while (at < text.length) {
    const token = readToken(text, at, language.tokens[place.expected]);
    if (token === undefined) {
      shown += hidden(text.slice(at), '', '');
      break;
    }
    shown += shownToken(token, place, ownTexts);
    advance(place, token, language);
    at += token.text.length;
  }
  return shown.split(/\r?\n/).map(cut);
}

interface Token {
  readonly is: Kind;
  readonly text: string;
}

/** The position in the structure. */
interface MaskState {
  expected: Expected;
  readonly open: string[];
  /** The key of the expected value; undefined in a list. */
  name?: string | undefined;
}

function readToken(text: string, at: number, pattern: RegExp): Token | undefined {
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  const is = found && KINDS.find((_, index) => found[index + 1] !== undefined);
  return is ? { is, text: found[0] } : undefined;
}

function shownToken(
  { is, text }: Token,
  { expected, name }: MaskState,
  own: ReadonlySet<string>,
): string {
  switch (is) {
    case 'blank':
    case 'sign':
      return text;
    case 'comment':
      return text.startsWith('/*')
        ? hidden(text, '/* ', ' */')
        : `${text.startsWith('#') ? '#' : '//'} ${HIDDEN}`;
    case 'bare':
      return expected === 'name' || LITERAL.test(text) ? text : HIDDEN;
    case 'text': {
      const isTelling = name !== undefined && IDENTIFYING_KEYS.has(name) && WORD.test(text);
      if (expected === 'name' || own.has(text) || isTelling) return text;
      const quotes = /^(?:"""|'''|.)/.exec(text)?.[0] ?? '';
      return hidden(text, quotes, quotes);
    }
  }
}

function advance(place: MaskState, { is, text }: Token, { goesBy }: Language): void {
  const { expected, open } = place;
  if (is === 'blank') {
    if (goesBy === 'lines' && text === '\n' && open.length === 0) place.expected = 'name';
    return;
  }
  if (expected === 'name' && (is === 'text' || is === 'bare')) {
    place.name = text.replaceAll(/^["']|["']$/g, '');
  }
  if (is !== 'sign' || text === '.') return;
  if (text === ']' || text === '}') open.pop();
  // A bracket in the place of a name starts a table header.
  else if (text === '{' || (text === '[' && expected === 'value')) open.push(text);
  if (text !== ':' && text !== '=') place.name = undefined;
  const isName = text === '{' || (text === ',' && open.at(-1) === '{');
  const isHeader = text === '[' && expected === 'name';
  place.expected = isName || isHeader ? 'name' : 'value';
}

/** Keeps the number of lines, so that each stays in its place. */
function hidden(text: string, start: string, end: string): string {
  const lines = text.split('\n').map(() => HIDDEN);
  return `${start}${lines.join('\n')}${end}`;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function cut(line: string): string {
  return line.length <= MAX_SHOWN_CHARS ? line : `${line.slice(0, MAX_SHOWN_CHARS)}${HIDDEN}`;
}

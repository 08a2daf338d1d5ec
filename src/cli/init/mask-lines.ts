import { STRING } from '#core/json-text/json-text.ts';
import type { Entry } from './client.ts';
import type { FormatName } from './format.ts';

// What is beside our entry may be another server's key, and a diff ends up in terminals, screenshots and bug reports. What a
// key looks like cannot be told, so nothing is looked for: of what others wrote, the structure is shown and no text.

const HIDDEN = '…';
const MAX_SHOWN_CHARS = 160;
/** The names whose values say what a server is; and no more than a word of them, as a whole command line may hold a key. */
const TELLING = new Set(['command', 'type']);
const WORD = /^["'][\w.-]{0,11}["']$/;
const PLAIN = /^(?:true|false|null|[+-]?\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?)$/;

type Kind = 'blank' | 'comment' | 'text' | 'bare' | 'sign';
type Expected = 'name' | 'value';

interface Language {
  readonly tokens: Readonly<Record<Expected, RegExp>>;
  /** In lines, each of them outside of brackets begins with a name. */
  readonly goesBy: 'brackets' | 'lines';
}

const KINDS: readonly Kind[] = ['blank', 'comment', 'text', 'bare', 'sign'];

/** One pattern with a group for each kind, in their order, as a file may have millions of tokens. */
function tokenPattern(patterns: Readonly<Record<Kind, RegExp>>): RegExp {
  return new RegExp(KINDS.map((kind) => `(${patterns[kind].source})`).join('|'), 'y');
}

const JSON_TOKENS = {
  blank: /[ \t\r\n]+/,
  comment: /\/\/[^\r\n]*|\/\*[\s\S]*?\*\//,
  text: STRING,
  sign: /[{}[\],:]/,
};

/** Those of several lines, which may end with quotes of their own, and those of one. */
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
 * The lines of a settings file as they may be shown: names, brackets, numbers and the like; and texts only if they are of
 * `ours`, the entries that we wrote or will write. From where the text is not of its format on, nothing is.
 */
export function maskLines(text: string, format: FormatName, ours: readonly Entry[]): string[] {
  const language = format === 'toml' ? TOML_LANGUAGE : JSON_LANGUAGE;
  const own = new Set(ours.flatMap(textsOf).map((each) => JSON.stringify(each)));
  const place: Place = { expected: language.goesBy === 'lines' ? 'name' : 'value', open: [] };
  let shown = '';
  let at = 0;
  while (at < text.length) {
    const token = readToken(text, at, language.tokens[place.expected]);
    if (token === undefined) {
      shown += hidden(text.slice(at), '', '');
      break;
    }
    shown += shownToken(token, place, own);
    move(place, token, language);
    at += token.text.length;
  }
  return shown.split(/\r?\n/).map(cut);
}

interface Token {
  readonly is: Kind;
  readonly text: string;
}

/** Where in the structure we are. */
interface Place {
  expected: Expected;
  readonly open: string[];
  /** Whose value is expected; nothing in a list. */
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
  { expected, name }: Place,
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
      return expected === 'name' || PLAIN.test(text) ? text : HIDDEN;
    case 'text': {
      const isTelling = name !== undefined && TELLING.has(name) && WORD.test(text);
      if (expected === 'name' || own.has(text) || isTelling) return text;
      const quotes = /^(?:"""|'''|.)/.exec(text)?.[0] ?? '';
      return hidden(text, quotes, quotes);
    }
  }
}

function move(place: Place, { is, text }: Token, { goesBy }: Language): void {
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
  // A bracket in the place of a name begins the header of a table.
  else if (text === '{' || (text === '[' && expected === 'value')) open.push(text);
  if (text !== ':' && text !== '=') place.name = undefined;
  const isName = text === '{' || (text === ',' && open.at(-1) === '{');
  const isHeader = text === '[' && expected === 'name';
  place.expected = isName || isHeader ? 'name' : 'value';
}

/** As many lines as there were, so that each stays where it is. */
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

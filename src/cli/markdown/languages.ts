/** What the colours of a programming language are decided by. */
export interface Language {
  readonly keywords: ReadonlySet<string>;
  readonly lineComments: readonly string[];
  /** Comments and strings that may span lines: beginning, end, kind. */
  readonly blocks: readonly (readonly [start: string, end: string, kind: 'comment' | 'string'])[];
  readonly quotes: string;
  readonly ignoresCase: boolean;
}

const C_COMMENT = ['/*', '*/', 'comment'] as const;
const TEMPLATE = ['`', '`', 'string'] as const;

function language(
  keywords: string,
  {
    lineComments = ['//'],
    blocks = [C_COMMENT],
    quotes = `"'`,
    ignoresCase = false,
  }: Partial<Language> = {},
): Language {
  return { keywords: new Set(keywords.split(' ')), lineComments, blocks, quotes, ignoresCase };
}

const SCRIPT = language(
  'abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of override private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield',
  { blocks: [C_COMMENT, TEMPLATE] },
);
const PYTHON = language(
  'False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  {
    lineComments: ['#'],
    blocks: [
      ['"""', '"""', 'string'],
      ["'''", "'''", 'string'],
    ],
  },
);
const SHELL = language(
  'case do done elif else esac exit export fi for function if in local return set source then trap unset until while',
  { lineComments: ['#'], blocks: [] },
);
const GO = language(
  'break case chan const continue default defer else error fallthrough false for func go goto if import interface iota map nil package range return select struct switch true type var',
  { blocks: [C_COMMENT, TEMPLATE] },
);
const RUST = language(
  'Self as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self static struct super trait true type unsafe use where while',
  { quotes: '"' },
);
const C_FAMILY = language(
  'abstract auto bool boolean break byte case catch char class const constexpr continue data default delete do double else enum explicit extends extern false final finally float for foreach fun goto if implements import in include inline instanceof int interface internal long namespace new null nullptr object operator out override package private protected public readonly record ref register return sealed short signed sizeof static string struct super switch template this throw throws true try typedef typename union unsigned using val var virtual void volatile when while yield async await',
);
const SWIFT = language(
  'actor as async await break case catch class continue default defer do else enum extension false fileprivate for func guard if import in init inout internal is let mutating nil open override private protocol public repeat return self static struct super switch throw throws true try typealias var where while',
);
const RUBY = language(
  'alias and begin break case class def do else elsif end ensure false for if in module next nil not or raise redo require rescue retry return self super then true undef unless until when while yield',
  { lineComments: ['#'], blocks: [['=begin', '=end', 'comment']] },
);
const PHP = language(
  'abstract and array as break case catch class const continue declare default do echo else elseif extends false final finally fn for foreach function global if implements include interface match namespace new null or private protected public readonly require return self static switch this throw trait true try use var while yield',
  { lineComments: ['//', '#'] },
);
const SQL = language(
  'add all alter and as asc begin between by case check column commit constraint create cross database default delete desc distinct drop else end exists explain false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction true union unique update using values view when where with',
  { lineComments: ['--'], quotes: `'"`, ignoresCase: true },
);
const LUA = language(
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
  { lineComments: ['--'], blocks: [['--[[', ']]', 'comment']] },
);
const DATA = language('false no null off on true yes', { lineComments: ['#'], blocks: [] });
const JSON_LANGUAGE = language('false null true', { blocks: [C_COMMENT], quotes: '"' });
const MARKUP = language('', {
  lineComments: [],
  blocks: [['<!--', '-->', 'comment']],
  quotes: '"',
});
const STYLES = language('from important to', { lineComments: [] });
const DOCKER = language(
  'add arg cmd copy entrypoint env expose from healthcheck label run shell user volume workdir',
  { lineComments: ['#'], blocks: [], ignoresCase: true },
);

const NAMES: ReadonlyMap<string, Language> = new Map(
  (
    [
      ['js jsx mjs cjs javascript ts tsx mts cts typescript', SCRIPT],
      ['py python python3', PYTHON],
      ['sh bash zsh shell console shellsession fish make makefile', SHELL],
      ['go golang', GO],
      ['rs rust', RUST],
      ['c h cpp c++ cc hpp cs csharp java kt kotlin scala dart groovy zig', C_FAMILY],
      ['swift', SWIFT],
      ['rb ruby', RUBY],
      ['php', PHP],
      ['sql postgresql mysql sqlite', SQL],
      ['lua', LUA],
      ['yaml yml toml ini conf properties env', DATA],
      ['json jsonc json5', JSON_LANGUAGE],
      ['html xml svg vue', MARKUP],
      ['css scss less', STYLES],
      ['dockerfile docker', DOCKER],
    ] as const
  ).flatMap(([names, found]) => names.split(' ').map((name) => [name, found] as const)),
);

/** The language by one of its names. */
export function findLanguage(name: string): Language | undefined {
  return NAMES.get(name.toLowerCase());
}

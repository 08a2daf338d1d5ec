import { platformPath, type PathContext } from '../init/paths.ts';

/** How a client refers to variables, beyond `${NAME}`, which all of them have. */
export interface ReferenceStyle {
  /** `$NAME`. */
  readonly bare?: true;
  /** `{env:NAME}`. */
  readonly braces?: true;
}

export interface TextContext {
  readonly machine: PathContext;
  readonly style: ReferenceStyle;
  /** The variable for a value that the client asks its user for, by the id of the question. */
  readonly inputVariable: (id: string) => string;
  /** The value of a variable; undefined if it is not set. */
  readonly lookUp: (name: string) => string | undefined;
}

/** A text refers to something that only its client knows. */
export class UnknownReferenceError extends Error {
  readonly reference: string;
  constructor(reference: string) {
    super(reference);
    this.reference = reference;
  }
}

const NAME = '[A-Za-z_]\\w*';
const BRACED = '\\$\\{([^{}]*)\\}';
const BARE = `\\$(${NAME})`;
const BRACES = `\\{(env|file):([^{}]*)\\}`;
/** A `${` that a client would leave as it is. */
const OPEN = '\\$\\{';

/** Rewrites the references of a client as those of config.json: `${NAME}`. */
export function toConfigText(text: string, context: TextContext): string {
  const { bare, braces } = context.style;
  const pattern = [BRACED, ...(bare ? [BARE] : []), ...(braces ? [BRACES] : []), OPEN].join('|');
  return text.replaceAll(new RegExp(pattern, 'g'), (found: string, ...groups: unknown[]) => {
    const [inner, ...others] = groups.filter((each) => typeof each === 'string');
    if (found === '${') return '$${';
    if (found.startsWith('${')) return ofBraced(found, groups[0] as string, context);
    if (found.startsWith('$')) return `\${${found.slice(1)}}`;
    if (inner === 'env' && isName(others[0] ?? '')) return `\${${others[0]}}`;
    throw new UnknownReferenceError(found);
  });
}

function ofBraced(found: string, inner: string, context: TextContext): string {
  const { machine, lookUp, inputVariable } = context;
  if (inner === 'userHome') return machine.home;
  if (inner === 'pathSeparator' || inner === '/') return platformPath(machine).sep;
  if (isName(inner) && !FOLDERS.has(inner)) return `\${${inner}}`;
  const [kind = '', ...rest] = inner.split(':');
  const value = rest.join(':');
  if (kind === 'env' && isName(value)) return `\${${value}}`;
  if (kind === 'input' && value !== '') return `\${${inputVariable(value)}}`;
  // `${NAME:-default}` of a shell, which config.json does not have.
  if (isName(kind) && value.startsWith('-')) {
    return lookUp(kind) === undefined ? escaped(value.slice(1)) : `\${${kind}}`;
  }
  throw new UnknownReferenceError(found);
}

/** Folders of an editor's window; the daemon has no window. */
const FOLDERS: ReadonlySet<string> = new Set(['workspaceFolder', 'workspaceFolderBasename']);

function isName(text: string): boolean {
  return new RegExp(`^${NAME}$`).test(text);
}

function escaped(text: string): string {
  return text.replaceAll('${', '$${');
}

/** A piece of a text of config.json. */
export interface TextPart {
  readonly is: 'literal' | 'reference';
  /** The characters themselves, or the name of the variable. */
  readonly text: string;
}

const CONFIG_REFERENCE = /\$\$\{|\$\{([A-Za-z_]\w*)\}/g;

/** Literals are unescaped. */
export function textPartsOf(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let literal = '';
  let at = 0;
  const flush = () => {
    if (literal !== '') parts.push({ is: 'literal', text: literal });
    literal = '';
  };
  for (const match of text.matchAll(CONFIG_REFERENCE)) {
    literal += text.slice(at, match.index);
    at = match.index + match[0].length;
    if (match[1] === undefined) literal += '${';
    else {
      flush();
      parts.push({ is: 'reference', text: match[1] });
    }
  }
  literal += text.slice(at);
  flush();
  return parts;
}

/** The text of config.json for parts. */
export function joinParts(parts: readonly TextPart[]): string {
  return parts.map(({ is, text }) => (is === 'literal' ? escaped(text) : `\${${text}}`)).join('');
}

/** A text with its variables replaced, as far as they are set. */
export function resolveText(text: string, lookUp: TextContext['lookUp']): string {
  return textPartsOf(text)
    .map((part) => (part.is === 'literal' ? part.text : (lookUp(part.text) ?? `\${${part.text}}`)))
    .join('');
}

/** The variables that a text refers to. */
export function variablesOf(text: string): readonly string[] {
  return textPartsOf(text).flatMap(({ is, text: name }) => (is === 'reference' ? [name] : []));
}

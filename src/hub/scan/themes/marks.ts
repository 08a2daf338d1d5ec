import { containsCommand, namesStartupFile } from '../secrets.ts';
import { VERBS } from './lexicon-english.ts';
import type { WordClass } from './lexicon.ts';
import type { MarkClass, Marks } from './mark-class.ts';
import {
  isAccountCode,
  isCommandWord,
  isSecretFile,
  isSecretVariable,
  namesHost,
} from './named-things.ts';
import { marksOfForm } from './sentence-marks.ts';
import { hasClass, type Sentence, type Word } from './sentences.ts';

/** What is known of the definition around a sentence. */
export interface SentenceContext {
  readonly isOwnTool: (name: string) => boolean;
  readonly isOwnArgument: (name: string) => boolean;
  readonly isPeerServer: (name: string) => boolean;
  readonly isPeerTool: (name: string) => boolean;
  readonly isInSchema: boolean;
  /** The first sentence of a description says what the tool does. */
  readonly isFirst: boolean;
  readonly purposes: ReadonlySet<WordClass>;
}

/** Marks the words of a sentence by all that they are. */
export function markWords(sentence: Sentence, context: SentenceContext): Marks {
  const { words, lower } = sentence;
  const marks = new Map<MarkClass, number[]>();
  const add = (mark: MarkClass, at: number) => {
    const known = marks.get(mark);
    if (known === undefined) marks.set(mark, [at]);
    else known.push(at);
  };
  if (context.isInSchema) add('inSchema', 0);
  if (isPure(context.purposes)) add('pureTool', 0);
  for (const mark of marksOfForm(sentence)) add(mark, 0);
  const hasCommand = containsCommand(lower);
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) continue;
    const isDone = isVerb(words, at);
    for (const wordClass of word.classes) {
      if (isDone || word.isForeign || !VERB_CLASSES.has(wordClass)) add(wordClass, at);
    }
    if (isDone && isOrder(words, at, context.isFirst)) add('order!', at);
    for (const mark of marksNear(words, at)) add(mark, at);
    for (const mark of marksOfText(word)) add(mark, at);
    if (hasCommand && isCommandWord(word.text)) add('commandText', at);
    const mark = markOfName(words, at, context);
    if (mark !== undefined) add(mark, at);
  }
  for (const at of (marks.get('praise') ?? []).slice(1)) add('praise2', at);
  return marks;
}

/** Most words are plain; what is told by how a word is written is not. */
const PLAIN = /^[A-Za-z]?[a-z]*$/;
const NONE: readonly MarkClass[] = [];

function marksOfText({ text, raw }: Word): readonly MarkClass[] {
  if (PLAIN.test(raw)) return NONE;
  const marks: MarkClass[] = [];
  if (text === '"') marks.push('quoteMark');
  if (isSecretFile(text)) marks.push('secretFile');
  if (isSecretVariable(raw)) marks.push('secretVariable');
  if (isAccountCode(raw)) marks.push('accountCode');
  if (namesStartupFile(text)) marks.push('persist');
  if (namesHost(text))
    marks.push('address', ...(text.includes('@') ? ['mailAddress' as const] : []));
  return marks;
}

/** What a word is by those beside it. */
function marksNear(words: readonly Word[], at: number): readonly MarkClass[] {
  const classes = words[at]?.classes;
  if (classes === undefined || classes.size === 0) return NONE;
  const marks: MarkClass[] = [];
  if (classes.has('external') && isPlace(words, at)) marks.push('externalPlace');
  if (classes.has('others') && hasClass(words, 'toolNoun', at + 1, 3)) marks.push('otherTool');
  if (classes.has('every') && hasClass(words, 'toolNoun', at + 1, 3)) marks.push('anyTool');
  if (classes.has('prior') && endsAt(words, at)) marks.push('priorAlone');
  return marks;
}

/** A name of a tool, an argument or a server, by whose it is. */
function markOfName(
  words: readonly Word[],
  at: number,
  context: SentenceContext,
): MarkClass | undefined {
  const word = words[at];
  if (!word) return undefined;
  const { text, name, isQuoted, classes } = word;
  const isServer = words[at + 1]?.classes.has('toolNoun') === true;
  if (name === undefined && !isQuoted && !isServer) return undefined;
  const written = name ?? text;
  const isMeant = name !== undefined || isQuoted;
  if (context.isOwnTool(written)) return name === undefined ? undefined : 'ownTool';
  if (context.isOwnArgument(written)) {
    if (!isMeant) return undefined;
    return classes.has('secret') ? 'ownSecretArgument' : 'ownArgument';
  }
  if (context.isPeerTool(written)) return 'peerTool';
  if (isServer && context.isPeerServer(text)) return 'peerServer';
  const isTool = words[at + 1]?.text === '"' && words[at + 2]?.classes.has('toolNoun') === true;
  return name !== undefined || (isQuoted && isTool) ? 'otherName' : undefined;
}

const CLAUSE_ENDS: ReadonlySet<string> = new Set([',', 'and', 'then', ':']);

function endsAt(words: readonly Word[], at: number): boolean {
  if (words[at]?.classes.has('every')) return false;
  const after = words[at + 1];
  return after === undefined || CLAUSE_ENDS.has(after.text);
}

/** What no tool that only computes something is for. */
const IMPURE: readonly WordClass[] = [
  'send',
  'secret',
  'file',
  'conversation',
  'memory',
  'prompt',
  'mail',
  'detector',
  'personal',
  'command',
  'place',
  'power',
  'defense',
  'envPurpose',
  'guard',
  'external',
  'create',
  'destroy',
  'store',
];

/** Whether a tool computes, formats or looks up, by its name. */
function isPure(purposes: ReadonlySet<WordClass>): boolean {
  return purposes.has('pure') && !IMPURE.some((each) => purposes.has(each));
}

const OTHERS_PLACE = /^(?:attackers?|collectors?|webhooks?|c2|listener)(?:'s)?$/;

/** `an external host`, `our collector`: a place that is not the caller's. */
function isPlace(words: readonly Word[], at: number): boolean {
  return OTHERS_PLACE.test(words[at]?.text ?? '') || hasClass(words, 'place', at + 1, 3);
}

const VERB_CLASSES: ReadonlySet<string> = new Set(Object.keys(VERBS));
/** What a verb does not follow; a noun does: `of record`. */
const BEFORE_NOUNS: ReadonlySet<string> = new Set([
  'of',
  'in',
  'for',
  'from',
  'by',
  'with',
  'as',
  'per',
]);
const PURPOSES: readonly WordClass[] = ['disable', 'skip', 'tell', 'override'];

function isVerb(words: readonly Word[], at: number): boolean {
  const word = words[at];
  if (!word || word.forms.size === 0 || word.text === 'including') return false;
  const before = words[at - 1];
  if (before === undefined || word.isForeign) return true;
  // `to skip the checks`, as what an option is for
  if (before.text === 'to' && PURPOSES.some((each) => word.classes.has(each))) return false;
  if (!word.forms.has('base') && !word.forms.has('present')) return true;
  // `a check that drops …`
  if (before.text === 'that' && !word.forms.has('base')) return true;
  return !before.classes.has('determiner') && !BEFORE_NOUNS.has(before.text);
}

const STARTS: ReadonlySet<string> = new Set(
  ', : and then first also " next finally or please kindly silently always just instead'.split(' '),
);
const ORDER_REACH = 4;

/** Whether the model is told to: `you must also send`, `…, then send`. */
function isOrder(words: readonly Word[], at: number, isFirst: boolean): boolean {
  if (hasClass(words, 'must', at - ORDER_REACH, ORDER_REACH)) return true;
  const before = words[at - 1];
  if (words[at]?.forms.has('base') !== true || before?.text === 'to') return false;
  return before === undefined ? !isFirst : STARTS.has(before.text);
}

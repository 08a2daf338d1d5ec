import type { Renderer, Sentences } from './coded-message.ts';
import { COMMAND_FIXES, FIX_SENTENCES, type Fix, type FixKind } from './fixes.ts';
import { asSentence } from './sentence.ts';

/** Texts of a surface that differ, and which of them end with a command. */
type FixTexts = Pick<Sentences, 'commandFixes' | 'argument'> & {
  readonly fixes: Partial<Sentences['fixes']>;
};

/** Arguments as tools name them. */
export const argumentText: Sentences['argument'] = (name, value) =>
  value === undefined ? name : `${name}: ${value}`;

/** The texts of MCP, apart from the other tables, so that the shim loads only what it shows. */
const BASE: FixTexts = {
  fixes: {},
  commandFixes: COMMAND_FIXES,
  argument: argumentText,
};

/**
 * Joins alternatives into one sentence; texts that are whole sentences stay separate. An empty text
 * is a fix that the surface cannot offer.
 */
export function renderFixes(all: readonly Fix[], texts: FixTexts = BASE): string {
  const { fixes, commandFixes, argument } = texts;
  const clauseOf = ({ kind, params }: Fix) => {
    // Each kind has the parameters that its text needs; the compiler cannot see that for the union.
    const text = (fixes[kind] ?? FIX_SENTENCES[kind]) as (
      params: Fix['params'],
      render: Pick<Renderer, 'argument'>,
    ) => string;
    return text(params, { argument });
  };
  const sentences: { readonly text: string; readonly end: 'stop' | 'command' }[] = [];
  let clauses: string[] = [];
  let last: FixKind = 'advice';
  const endSentence = () => {
    const text = clauses.join(', or ');
    clauses = [];
    if (text === '') return;
    const end = commandFixes.includes(last) ? 'command' : 'stop';
    sentences.push({ text: `${text.charAt(0).toUpperCase()}${text.slice(1)}`, end });
  };
  for (const each of all) {
    const clause = clauseOf(each);
    if (clause === '') continue;
    if (each.kind === 'advice') {
      endSentence();
      sentences.push({ text: clause, end: 'command' });
    } else clauses.push(clause);
    last = each.kind;
  }
  endSentence();
  return sentences
    .map(({ text, end }, at) => {
      const isOpen = end === 'command' && at === sentences.length - 1;
      return isOpen ? text : asSentence(text);
    })
    .join(' ');
}

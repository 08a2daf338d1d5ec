import type { QuestionTool } from './question.ts';
import { contentWords } from './content-words.ts';

/** Words of a tool's name that say nothing about what it is for. */
const VERBS = new Set([
  'get',
  'set',
  'list',
  'find',
  'run',
  'do',
  'make',
  'create',
  'fetch',
  'lookup',
  'call',
  'tool',
]);

/**
 * The tool that the message speaks of: named outright, all telling words of its name, or two words
 * of its description and one of its name.
 */
export function pickTool(tools: readonly QuestionTool[], text: string): QuestionTool | undefined {
  const named = namedTool(tools, text);
  if (named !== undefined) return named;
  const words = new Set(contentWords(text));
  let best: QuestionTool | undefined;
  let bestScore = 0;
  for (const tool of tools) {
    const score = scoreOf(tool, words);
    if (score <= bestScore) continue;
    best = tool;
    bestScore = score;
  }
  return best;
}

/** The tool whose very name is in the message, where that cannot be an everyday word. */
export function namedTool(tools: readonly QuestionTool[], text: string): QuestionTool | undefined {
  return tools.find(({ name }) => mentions(text, name));
}

function mentions(text: string, name: string): boolean {
  const at = text.indexOf(name);
  if (name.length < 3 || at === -1) return false;
  const isPart = (char: string | undefined): boolean =>
    char !== undefined && /[\p{L}\p{N}_-]/u.test(char);
  return (
    (name.includes('_') || name.includes('-')) &&
    !isPart(text[at - 1]) &&
    !isPart(text[at + name.length])
  );
}

function scoreOf({ name, description }: QuestionTool, words: ReadonlySet<string>): number {
  const all = contentWords(name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' '));
  const telling = all.filter((word) => !VERBS.has(word));
  const nameWords = telling.length > 0 ? telling : all;
  const inName = nameWords.filter((word) => words.has(word)).length;
  const inDescription = new Set(contentWords(description).filter((word) => words.has(word))).size;
  if (nameWords.length > 0 && inName === nameWords.length) return 10 + inName + inDescription;
  return inName > 0 && inDescription >= 2 ? inName + inDescription : 0;
}

import type { AskAnswer, Manager } from '#core/llm/ask.ts';
import { RETURNED } from '../emulator/web.ts';

type Cited = Pick<AskAnswer, 'text' | 'citations'>;

/**
 * Throws if an answer cites what no search of the emulator has returned in this process. Every answer
 * of a manager and of a daemon that the suite starts passes through here.
 */
export function watchCitations<T extends Cited>(answer: T): T {
  const { text, citations } = answer;
  const invented = citations.filter(({ url }) => !RETURNED.has(url)).map(({ url }) => url);
  if (invented.length > 0) throw new Error(`No search has returned ${invented.join(', ')}`);
  if (citations.length === 0) return answer;
  const marks = new Set(citations.map(({ mark }) => mark));
  const open = [...text.matchAll(/\[(ref_\d+)\]/g)].map(([, mark = '']) => mark);
  const unknown = open.filter((mark) => !marks.has(mark));
  if (unknown.length > 0) throw new Error(`The marks ${unknown.join(', ')} have no source`);
  return answer;
}

/** A manager whose answers are watched. */
export function withWatchedCitations(manager: Manager): Manager {
  return {
    ask: async (...asked) => watchCitations(await manager.ask(...asked)),
    explain: (...asked) => manager.explain(...asked),
    classify: (...asked) => manager.classify(...asked),
  };
}

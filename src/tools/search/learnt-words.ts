import { hash } from 'node:crypto';
import type { Json } from '#core/json/json.ts';
import { asObject } from '#core/json/json.ts';
import type { SettingStore } from '#core/stores/settings.ts';
import { queryTerms } from '#core/text/search-terms.ts';
import { REQUEST_WORDS } from '#core/text/stop-words.ts';
import { stemEnglish } from '#core/text/stem-english.ts';
import type { Clock, Timer } from '#core/time/clock.ts';

/** How much the terms of a caller's searches tell about the tools that the caller then called. */
export type LearntTerms = (term: string) => ReadonlyMap<string, number> | undefined;

/**
 * Words learnt from use, for each principal: a tool that was called after a search is found better by
 * the words of that search. Only words of searches are kept, never arguments of the tools.
 */
export interface LearntWords {
  /** A principal searched, and these tools were found. */
  searched(principal: string, query: string, found: readonly string[]): void;
  /** A call of the principal succeeded. */
  called(principal: string, tool: string): void;
  /** Loads what is stored of the principal. */
  load(principal: string): Promise<void>;
  of(principal: string): LearntTerms;
  /** Saves what is not saved yet. */
  close(): Promise<void>;
}

interface LearntWordsOptions {
  readonly isOn: () => boolean;
  readonly settings: Pick<SettingStore, 'get' | 'set'>;
  readonly clock: Clock;
}

interface Search {
  readonly at: number;
  readonly terms: readonly string[];
  readonly found: ReadonlySet<string>;
}

interface Memory {
  /** By term, how often each tool was called after a search with it. */
  readonly counts: Map<string, Map<string, number>>;
  searches: Search[];
  isChanged: boolean;
}

/** A call that long after a search has nothing to do with it. */
const RELATED_MS = 10 * 60_000;
const SAVE_MS = 60_000;
const MAX_PRINCIPALS = 200;
const MAX_SEARCHES = 5;
const MAX_TERMS = 400;
const MAX_TOOLS = 5;
/** How sure a use is at most: below what a tool says of itself. */
const MAX_SHARE = 0.6;
/** Words in one script; what has digits is data. */
const WORD = /^\p{L}{2,24}$/u;
const REQUESTS: ReadonlySet<string> = new Set([...REQUEST_WORDS].map(stemEnglish));

export function createLearntWords({ isOn, settings, clock }: LearntWordsOptions): LearntWords {
  const memories = new Map<string, Memory>();
  let timer: Timer | undefined;

  function memoryOf(principal: string): Memory {
    const known = memories.get(principal);
    if (known) return known;
    const [oldest] = memories.keys();
    if (memories.size >= MAX_PRINCIPALS && oldest !== undefined) memories.delete(oldest);
    const memory: Memory = { counts: new Map(), searches: [], isChanged: false };
    memories.set(principal, memory);
    return memory;
  }

  function learn(memory: Memory, term: string, tool: string): void {
    const tools = memory.counts.get(term) ?? new Map<string, number>();
    // The newest last, so that the oldest is forgotten first.
    memory.counts.delete(term);
    memory.counts.set(term, tools);
    const count = (tools.get(tool) ?? 0) + 1;
    tools.delete(tool);
    tools.set(tool, count);
    if (tools.size > MAX_TOOLS) tools.delete(tools.keys().next().value ?? '');
    if (memory.counts.size > MAX_TERMS)
      memory.counts.delete(memory.counts.keys().next().value ?? '');
    memory.isChanged = true;
  }

  async function save(): Promise<void> {
    timer = undefined;
    const changed = [...memories].filter(([, memory]) => memory.isChanged);
    for (const [principal, memory] of changed) {
      memory.isChanged = false;
      await settings.set(keyOf(principal), toJson(memory.counts)).catch(() => undefined);
    }
  }

  return {
    searched(principal, query, found) {
      if (!isOn() || found.length === 0) return;
      const terms = queryTerms(query)
        .map(({ term }) => term)
        .filter((term) => WORD.test(term) && !REQUESTS.has(term));
      if (terms.length === 0) return;
      const memory = memoryOf(principal);
      const search = { at: clock.monotonic(), terms, found: new Set(found) };
      memory.searches = [...memory.searches, search].slice(-MAX_SEARCHES);
    },
    called(principal, tool) {
      const memory = memories.get(principal);
      if (!memory || memory.searches.length === 0 || !isOn()) return;
      const oldest = clock.monotonic() - RELATED_MS;
      const search = memory.searches.findLast(({ at, found }) => at >= oldest && found.has(tool));
      if (!search) return;
      // One search teaches one call of each tool.
      const found = new Set([...search.found].filter((name) => name !== tool));
      memory.searches = memory.searches.map((each) =>
        each === search ? { ...search, found } : each,
      );
      for (const term of search.terms) learn(memory, term, tool);
      timer ??= clock.after(SAVE_MS, () => void save());
    },
    async load(principal) {
      if (!isOn() || memories.has(principal)) return;
      const memory = memoryOf(principal);
      const stored = await settings.get(keyOf(principal)).catch(() => undefined);
      for (const [term, tools] of fromJson(stored)) memory.counts.set(term, tools);
    },
    of(principal) {
      const memory = isOn() ? memories.get(principal) : undefined;
      return (term) => {
        const tools = memory?.counts.get(term);
        if (!tools) return undefined;
        return new Map([...tools].map(([tool, count]) => [tool, shareOf(count)]));
      };
    },
    close() {
      timer?.stop();
      return save();
    },
  };
}

/** One use may be chance; several are not. */
function shareOf(count: number): number {
  return Math.min(MAX_SHARE, count / (count + 2));
}

function keyOf(principal: string): string {
  return `search.learnt.${hash('sha256', principal).slice(0, 32)}`;
}

function toJson(counts: Memory['counts']): Json {
  return Object.fromEntries([...counts].map(([term, tools]) => [term, Object.fromEntries(tools)]));
}

function fromJson(stored: unknown): [string, Map<string, number>][] {
  return Object.entries(asObject(stored) ?? {})
    .slice(0, MAX_TERMS)
    .map(([term, tools]) => [
      term,
      new Map(
        Object.entries(asObject(tools) ?? {}).filter(
          (entry): entry is [string, number] => typeof entry[1] === 'number',
        ),
      ),
    ]);
}

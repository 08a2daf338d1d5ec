import type { Threads } from '#core/threads.ts';
import type { Clock } from '#core/time/clock.ts';
import type { Complete } from '#core/tools/prompt.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { ModelDirectory } from '#models/model-directory.ts';

/** The enum values of an argument in the tool's schema; empty if it has none. */
export function choicesOf({ inputSchema }: Pick<Tool, 'inputSchema'>, name: string): string[] {
  const { properties } = inputSchema;
  const argument = ownValue(properties, name);
  const listed = ownValue(argument, 'enum');
  return Array.isArray(listed) ? listed.filter((value) => typeof value === 'string') : [];
}

export function completeChoices(choices: readonly string[]): Complete {
  return (value) => rankMatches(value, choices);
}

/** Prefix matches first, then other matches. */
function rankMatches(value: string, all: readonly string[]): string[] {
  const typed = value.trim().toLowerCase();
  const found = all.filter((each) => each.toLowerCase().includes(typed));
  const begins = (each: string) => each.toLowerCase().startsWith(typed);
  return [...found.filter(begins), ...found.filter((each) => !begins(each))];
}

function ownValue(of: unknown, name: string): unknown {
  const isThere = typeof of === 'object' && of !== null && Object.hasOwn(of, name);
  return isThere ? (of as Record<string, unknown>)[name] : undefined;
}

type Directory = Pick<ModelDirectory, 'models'>;

const AUTO = 'auto';

/** Completes a model name: usable models, found by id or alias. */
export function completeModels(modelDirectory: Directory): Complete {
  return (value) => named(value, modelDirectory, [AUTO]);
}

/** Completes the last name of a comma-separated list. */
export function completeModelList(modelDirectory: Directory): Complete {
  return (value) => {
    const end = value.lastIndexOf(',') + 1;
    const before = value.slice(0, end).trim();
    const taken = before.split(',').map((name) => name.trim().toLowerCase());
    return named(value.slice(end), modelDirectory, [])
      .filter((id) => !taken.includes(id.toLowerCase()))
      .map((id) => (before === '' ? id : `${before} ${id}`));
  };
}

function named(value: string, modelDirectory: Directory, others: readonly string[]): string[] {
  const typed = value.trim().toLowerCase();
  const usable = modelDirectory.models().filter(({ isUsable }) => isUsable);
  const byAlias = usable.filter(({ model }) =>
    model.aliases.some((alias) => alias.toLowerCase().startsWith(typed)),
  );
  const ids = [...others, ...usable.map(({ model }) => model.id)];
  // Two providers may have the same id.
  return [...new Set([...rankMatches(value, ids), ...byAlias.map(({ model }) => model.id)])];
}

interface RecentThreadsDeps {
  readonly threads: Pick<Threads, 'list'>;
  readonly clock: Pick<Clock, 'after'>;
}

/** The part of a conversation that completion needs. */
interface RecentThread {
  readonly id: string;
  readonly title: string;
}

export type RecentThreads = (principal: string) => Promise<readonly RecentThread[]>;

const MAX_LISTED = 200;
/** Cache time, because every typed letter asks for the same list. */
const CACHE_MS = 2_000;
const MAX_CACHED = 64;
/** Longest wait while the user types. */
const TIMEOUT_MS = 2_000;

/**
 * Loads the last conversations of a principal, newest first. Empty on failure or timeout, because
 * completion should not raise errors.
 */
export function createRecentThreads({ threads, clock }: RecentThreadsDeps): RecentThreads {
  const cached = new Map<string, Promise<readonly RecentThread[]>>();

  async function look(principal: string): Promise<readonly RecentThread[]> {
    const found = await threads.list(principal, MAX_LISTED);
    return found.map(({ id, title }) => ({ id, title }));
  }

  return (principal) => {
    const known = cached.get(principal);
    if (known) return known;
    const found = inTime(clock, look(principal));
    if (cached.size < MAX_CACHED) {
      cached.set(principal, found);
      clock.after(CACHE_MS, () => cached.delete(principal));
    }
    return found;
  };
}

function inTime(
  clock: Pick<Clock, 'after'>,
  work: Promise<readonly RecentThread[]>,
): Promise<readonly RecentThread[]> {
  return new Promise((resolve) => {
    const timer = clock.after(TIMEOUT_MS, () => resolve([]));
    const settle = (found: readonly RecentThread[]) => {
      timer.stop();
      resolve(found);
    };
    work.then(settle, () => settle([]));
  });
}

/** As many as a client shows. */
const MAX_VALUES = 100;
/** Limit of the typed text, which is compared with every title. */
const MAX_TYPED_CHARS = 200;

/** Completes a conversation id: newest first, matched by id prefix or by words of the title. */
export function completeThreads(recent: RecentThreads): Complete {
  return async (value, _args, { principal }) => {
    const typed = value.slice(0, MAX_TYPED_CHARS).trim().toLowerCase();
    const words = typed.split(/\s+/);
    return (await recent(principal))
      .filter((thread) => thread.id.startsWith(typed) || hasAll(thread, words))
      .slice(0, MAX_VALUES)
      .map(({ id }) => id);
  };
}

function hasAll({ title }: RecentThread, words: readonly string[]): boolean {
  const said = title.toLowerCase();
  return words.every((word) => said.includes(word));
}

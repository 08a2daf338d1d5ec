import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Asking } from '#core/question.ts';
import type { ToolContext } from '#core/tool.ts';

export interface FoundRoots {
  readonly roots: readonly string[];
}

/** The answer's name; an answer of an earlier round is found by it. */
const NAME = 'client_roots';
/** The principal whose files they are. */
const OWNER = 'local';
const MAX_ROOTS = 100;
const MAX_URI_CHARS = 4_096;

/**
 * The folders whose files a caller may name: those it came with, else those its client says it works in. Only the owner's clients
 * are asked: a client with a token of its own, or one that has shown none, could open every folder of the machine by naming it,
 * so it reads where the settings allow it.
 */
export function rootsOf({
  caller,
  answers,
  askable,
}: Pick<ToolContext, 'caller' | 'answers' | 'askable'>): FoundRoots | Asking {
  if (caller.roots.length > 0 || caller.principal !== OWNER || caller.isAnonymous) {
    return { roots: caller.roots };
  }
  const answer = Object.hasOwn(answers, NAME) ? answers[NAME] : undefined;
  if (answer !== undefined) return { roots: foldersOf(answer['roots']) };
  return askable.includes('roots') ? { asks: { [NAME]: { is: 'roots' } } } : { roots: [] };
}

function foldersOf(roots: unknown): readonly string[] {
  if (!Array.isArray(roots)) return [];
  const folders = new Set<string>();
  for (const root of roots.slice(0, MAX_ROOTS) as readonly unknown[]) {
    const folder = folderOf((root as { uri?: unknown } | null | undefined)?.uri);
    if (folder !== undefined) folders.add(folder);
  }
  return [...folders];
}

/** A folder of this machine, and not all of it. */
function folderOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > MAX_URI_CHARS || !/^file:\/\//i.test(uri)) {
    return undefined;
  }
  try {
    const url = new URL(uri);
    if (url.search !== '' || url.hash !== '' || url.host !== '') return undefined;
    const folder = resolve(fileURLToPath(url));
    return folder.includes('\0') || dirname(folder) === folder ? undefined : folder;
  } catch {
    // Slashes in disguise, or no URL at all: such an answer opens nothing.
    return undefined;
  }
}

import { OWNER_PRINCIPAL } from '#core/auth/principal.ts';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { Caller } from '#core/calls/call.ts';
import type { ToolContext } from '#core/tools/tool.ts';
import type { WorkspaceReader } from '#core/workspace.ts';

export interface ClientRoots {
  readonly roots: readonly string[];
}

/** Marks a reader as a client of the owner. */
export function ownership({ principal, isAnonymous }: Caller): Pick<WorkspaceReader, 'isOwner'> {
  return principal === OWNER_PRINCIPAL && !isAnonymous ? { isOwner: true } : {};
}

/** Name of the input request; its answer is found by this name in the next round. */
const NAME = 'client_roots';
const MAX_ROOTS = 100;
const MAX_URI_CHARS = 4_096;

/**
 * Finds the folders whose files a caller may name: its roots, else those that its client reports.
 * Only the owner's clients are asked. A client with its own token, or an anonymous one, could
 * otherwise open any folder of the machine by naming it, so it gets only what the settings allow.
 */
export function findClientRoots({
  caller,
  answers,
  clientCapabilities,
}: Pick<ToolContext, 'caller' | 'answers' | 'clientCapabilities'>): ClientRoots | InputRequired {
  if (caller.roots.length > 0 || caller.principal !== OWNER_PRINCIPAL || caller.isAnonymous) {
    return { roots: caller.roots };
  }
  const answer = Object.hasOwn(answers, NAME) ? answers[NAME] : undefined;
  if (answer !== undefined) return { roots: foldersOf(answer['roots']) };
  return clientCapabilities.includes('roots')
    ? { inputRequests: { [NAME]: { is: 'roots' } } }
    : { roots: [] };
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

/** The path of a file URL that names a folder of this machine other than the file system root. */
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
    // An invalid URL or one with encoded slashes opens nothing.
    return undefined;
  }
}

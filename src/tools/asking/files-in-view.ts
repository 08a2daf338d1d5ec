import type { AskText } from '#core/ask.ts';
import type { Asking } from '#core/question.ts';
import type { ToolContext } from '#core/tool.ts';
import type { ReadTexts, Workspace } from '#core/workspace.ts';
import { readEarlier } from './earlier-files.ts';
import type { GivenFiles } from './given-files.ts';
import { place, stillMeant } from './place.ts';
import { rootsOf } from './roots-of.ts';

export interface FilesInView extends ReadTexts {
  /** Of those that were named now, so that they are found again from anywhere. */
  readonly paths: readonly string[];
}

/** What a question is about: what was named or given with it, and what was named earlier in its conversation, as it is now. */
export async function filesInView(
  { paths, texts: given }: GivenFiles,
  earlier: readonly string[],
  workspace: Pick<Workspace, 'read'>,
  context: ToolContext,
): Promise<FilesInView | Asking> {
  if (paths.length === 0 && earlier.length === 0) return { texts: given, notices: [], paths: [] };
  const found = rootsOf(context);
  if ('asks' in found) return found;
  const { roots } = found;
  const { signal, deadline } = context;
  const by = { roots, signal, deadline };
  const named = paths.length === 0 ? NOTHING : await workspace.read(paths, 'files', by);

  const placed = (path: string) => place(path, roots);
  const now = new Set([...paths, ...named.texts.map(({ name }) => name)].map(placed));
  const isOld = (path: string) => !now.has(placed(path));
  const old = stillMeant(earlier.filter(isOld), roots);
  const before = await readEarlier(old.paths, workspace, by);

  // Of two with one name the last counts, so what was given now comes last.
  const texts: readonly AskText[] = [
    ...before.texts.filter(({ name }) => isOld(name)),
    ...named.texts,
    ...given,
  ];
  return {
    texts,
    notices: [...named.notices, ...old.notices, ...before.notices],
    paths: [...new Set(paths.map(placed))],
  };
}

const NOTHING: ReadTexts = { texts: [], notices: [] };

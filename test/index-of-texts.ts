import type { FileIndex, IndexChange } from '#core/files/file-index.ts';
import type { IntakeContext } from '#core/files/file-intake.ts';
import type { PassageEmbedder } from '#core/files/passage-embedder.ts';
import type { FileSource, OpenFileSources } from '#core/files/file-sources.ts';
import type { FileIndexStore } from '#core/stores/file-index.ts';
import { NO_INPUT_RESPONSES } from '#core/tools/input-request.ts';
import { createFileIndex } from '#retrieval/create-file-index.ts';
import { createHash } from 'node:crypto';
import { systemClock } from '#app/system.ts';

export interface IndexedText {
  readonly name: string;
  readonly text: string;
  readonly is?: 'document' | 'lines';
}

/** Sources that are texts of `{name, text}` inputs, of which only unknown ones are read. */
export function sourcesOfTexts(texts: () => Iterable<IndexedText>): OpenFileSources {
  return async (_inputs, { isKnown }) => {
    const all = [...texts()];
    async function* files(): AsyncGenerator<FileSource> {
      for (const { name, text, is = 'lines' } of all) {
        const sha256 = createHash('sha256').update(text).digest('hex');
        const facts = { source: name, name, sha256, bytes: text.length };
        yield (await isKnown(name, sha256)) ? facts : { ...facts, content: { text, is } };
      }
    }
    return { total: all.length, files: files(), kept: [], notices: () => [] };
  };
}

export function contextOf(principal: string, signal = new AbortController().signal): IntakeContext {
  return {
    caller: { principal, scopes: ['*'], roots: [] },
    signal,
    deadline: { at: Infinity },
    answers: NO_INPUT_RESPONSES,
    clientCapabilities: [],
  };
}

/** An index of texts over a store, with a function that adds some. */
export function indexOfTexts(
  store: FileIndexStore,
  embedder?: () => PassageEmbedder | undefined,
): {
  readonly index: FileIndex;
  readonly add: (
    texts: Iterable<IndexedText>,
    principal?: string,
    signal?: AbortSignal,
  ) => Promise<IndexChange>;
} {
  let given: Iterable<IndexedText> = [];
  const openSources = sourcesOfTexts(() => given);
  const index = createFileIndex({
    store,
    openSources,
    clock: systemClock,
    ...(embedder && { embedder }),
  });
  return {
    index,
    async add(texts, principal = 'local', signal = new AbortController().signal) {
      given = texts;
      const options = { field: 'files', origin: 'added' } as const;
      const change = await index.add([], options, contextOf(principal, signal));
      if ('inputRequests' in change) throw new Error('No folder is named.');
      return change;
    },
  };
}

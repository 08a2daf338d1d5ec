import { CallError } from '#core/errors/call-error.ts';
import { fileUri } from '#core/files/file-input.ts';
import type { FileSource, OpenFileSources } from '#core/files/file-sources.ts';
import type { IntakeContext } from '#core/files/file-intake.ts';
import { errorText } from '#core/messages/error-text.ts';
import { distinctNotices, notice, type Notice } from '#core/messages/notices.ts';
import { sleep } from '#core/time/clock.ts';
import type { LeftOutFiles, NamedFile, WorkspaceReader } from '#core/workspace.ts';
import { MAX_OPENED_FILE_BYTES } from '../limits.ts';
import { checkSecrets } from './check-secrets.ts';
import type { FileIntakeDeps } from './create-file-intake.ts';
import { createTextExtraction } from './extract-text.ts';
import { shownName } from './file-names.ts';
import { parseInput, type ParsedInput } from './parse-input.ts';
import { isRefusedForPassword, readFileContent, type FileBytes } from './read-content.ts';

/** A file to read: its bytes are read when it is its turn. */
interface PendingSource {
  readonly source: string;
  readonly name: string;
  /** The list of its folder or pattern; absent where the caller named it. */
  readonly leftOut?: LeftOutFiles;
  readonly open: () => Promise<OpenedSource>;
}

type OpenedSource = Pick<FileBytes, 'bytes' | 'sha256' | 'contentType' | 'text' | 'name'>;

const MAX_FILES = 20_000;
/** Errors about one file, which does not end the reading of a folder. */
const ABOUT_ONE_FILE: readonly string[] = [
  'validation',
  'too_large',
  'conflict',
  'timeout',
  'not_found',
];

/** Opens the files of an index: each is read, extracted and let go before the next. */
export function createFileSources(deps: FileIntakeDeps): OpenFileSources {
  const { workspace, files, folders, clock, newId } = deps;
  // The index keeps the texts, so the extraction does not.
  const extract = createTextExtraction({
    extractor: deps.extractor,
    files: { providerFile: async () => undefined, saveProviderFile: async () => undefined },
  });

  return async (inputs, { field, earlier, isKnown, unreadable }, context) => {
    const { signal, deadline, caller } = context;
    const pause = () => sleep(clock, 0);
    const parsed: ParsedInput[] = [];
    for (const input of inputs) parsed.push(await parseInput(input, field, pause));
    const before: ParsedInput[] = [];
    for (const kept of earlier) before.push(await parseInput(kept, field, pause));
    const needsFolders = [...parsed, ...before].some(({ is }) => is === 'path');
    const found = needsFolders ? folders.find(context) : { roots: [] };
    if ('inputRequests' in found) return found;
    const { roots } = found;
    const by: WorkspaceReader = { roots, signal, deadline, ...folders.ownership(caller) };
    const notices: Notice[] = [];

    const list = (paths: readonly string[]) =>
      workspace.list(paths, field, by, { maxFiles: MAX_FILES });
    const paths = parsed.flatMap((each) => (each.is === 'path' ? [each.path] : []));
    const listed = [...(await list(paths))];
    for (const each of before) {
      if (each.is !== 'path') continue;
      try {
        listed.push(...(await list([each.path])));
      } catch {
        signal.throwIfAborted();
        notices.push(notice('file_not_indexed', { file: each.path }));
      }
    }
    const pending = new Map<string, PendingSource>();
    for (const file of listed) pending.set(file.path, namedSource(file));
    for (const each of [...parsed, ...before]) {
      const other = otherSource(each);
      if (other) pending.set(other.source, other);
    }
    const lists = new Set(listed.flatMap(({ within }) => within?.leftOut ?? []));

    function namedSource({ path, name, within }: NamedFile): PendingSource {
      return {
        source: path,
        name,
        ...(within && { leftOut: within.leftOut }),
        async open() {
          for await (const opened of workspace.open([path], field, by)) return { ...opened, name };
          throw noFile(name, field);
        },
      };
    }

    function otherSource(input: ParsedInput): PendingSource | undefined {
      if (input.is === 'path') return undefined;
      if (input.is === 'content') {
        const { name, sha256 } = input;
        return { source: `sha256:${sha256} ${name}`, name, open: async () => input };
      }
      if (input.is === 'stored') {
        const { id } = input;
        return { source: fileUri(id), name: id, open: () => readStored(id, caller.principal) };
      }
      const what = input.is === 'url' ? input.url : input.uri;
      throw new CallError('validation', `${shownName(what)} cannot be indexed.`, {
        field,
        fix: 'Give a path, a stored file or the content.',
      });
    }

    async function readStored(id: string, principal: string): Promise<OpenedSource> {
      const content = await files.read(id, principal);
      if (!content) throw noFile(id, field);
      const { name, bytes, sha256, mime } = content.file;
      if (bytes > MAX_OPENED_FILE_BYTES) {
        throw new CallError('too_large', `${shownName(name)} is too large.`, { field });
      }
      const chunks: Uint8Array[] = [];
      for await (const chunk of content.chunks) chunks.push(chunk);
      return { bytes: Buffer.concat(chunks), sha256, contentType: mime, name };
    }

    /** Undefined for a file that is left out. */
    async function read(one: PendingSource): Promise<FileSource | undefined> {
      const opened = await one.open();
      const { bytes, sha256, name } = opened;
      const facts = { source: one.source, name, sha256, bytes: bytes.length };
      if (bytes.length === 0) return leaveOut(one, 'empty');
      if (await isKnown(one.source, sha256)) return facts;
      const content = await readFileContent(
        { ...opened, again: neverAgain },
        field,
        extract,
        signal,
      );
      if (!content.text) return leaveOut(one, 'no_text');
      notices.push(...content.notices, ...(await checkSecrets(content.text, deps, field)));
      const { text, document } = content.text;
      return { ...facts, content: { text, is: document ? 'document' : 'lines' } };
    }

    function leaveOut(
      { leftOut, name }: PendingSource,
      reason: 'empty' | 'no_text' | 'unread',
      error?: CallError,
    ): undefined {
      const about = { file: name, ...(error && { error: errorText(error) }) };
      if (leftOut) leftOut.add(reason, name);
      else if (reason === 'empty') notices.push(notice('file_empty', { file: name }));
      else notices.push(notice('file_not_indexed', about));
      return undefined;
    }

    async function* all(): AsyncGenerator<FileSource> {
      for (const one of pending.values()) {
        signal.throwIfAborted();
        let file: FileSource | undefined;
        try {
          file = await read(one);
        } catch (thrown) {
          signal.throwIfAborted();
          const error = CallError.from(thrown);
          // A file that the caller did not name itself does not fail the call.
          const mayBeLeftOut = one.leftOut !== undefined || unreadable === 'notice';
          if (!mayBeLeftOut || !ABOUT_ONE_FILE.includes(error.class)) throw error;
          leaveOut(one, isRefusedForPassword(error) ? 'unread' : 'no_text', error);
        }
        if (file) yield file;
      }
    }

    return {
      total: pending.size,
      files: all(),
      kept: [
        ...paths.map((path) => folders.place(path, roots)),
        ...(await keepOthers(parsed, context)),
      ],
      notices: () => distinctNotices([...notices, ...[...lists].flatMap((each) => each.notices())]),
    };
  };

  /** Stores what came as content, so that the conversation finds it again. */
  async function keepOthers(
    parsed: readonly ParsedInput[],
    { caller, signal }: IntakeContext,
  ): Promise<readonly string[]> {
    const kept: string[] = [];
    for (const input of parsed) {
      if (input.is === 'stored') kept.push(fileUri(input.id));
      if (input.is !== 'content') continue;
      const { name, bytes, contentType = 'application/octet-stream' } = input;
      const file = { id: newId('file'), name, mime: contentType, principal: caller.principal };
      kept.push(fileUri((await files.write(file, [bytes], { signal })).id));
    }
    return kept;
  }
}

// eslint-disable-next-line require-yield
async function* neverAgain(): AsyncGenerator<Uint8Array> {
  throw new CallError('internal', 'An indexed file is read once.');
}

function noFile(name: string, field: string): CallError {
  return new CallError('not_found', `There is no file ${shownName(name)}.`, { field });
}

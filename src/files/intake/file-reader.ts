import { createHash } from 'node:crypto';
import { CallError } from '#core/errors/call-error.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { IntakeContext, IntakeOptions } from '#core/files/file-intake.ts';
import type { LeftOutReason } from '#core/messages/file-notices.ts';
import { notice } from '#core/messages/notices.ts';
import { isId } from '#core/ids.ts';
import type { FileStore, StoredFile } from '#core/stores/files.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { oneLine } from '#core/text/text.ts';
import { sleep } from '#core/time/clock.ts';
import type { NamedFile, Workspace, WorkspaceReader } from '#core/workspace.ts';
import { MAX_OPENED_FILE_BYTES } from '../limits.ts';
import { checkSecrets, type SecretsCheck } from './check-secrets.ts';
import type { IsPage } from '../pictures/page-detector.ts';
import type { ExtractText } from './extract-text.ts';
import { fileName, shownName } from './file-names.ts';
import { sha256InSlices } from './in-slices.ts';
import type { ParsedInput } from './parse-input.ts';
import {
  isRefusedForPassword,
  readFileContent,
  type FileBytes,
  type ReadContent,
} from './read-content.ts';

/** The content of one of our MCP resources. */
export interface ResourceBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly contentType?: string;
}

/** A file at a provider, as the text that the provider extracted. */
export interface UploadedText {
  readonly name: string;
  readonly text: string;
}

export interface FileReaderDeps extends SecretsCheck {
  readonly workspace: Pick<Workspace, 'open'>;
  readonly files: Pick<FileStore, 'get' | 'read'>;
  readonly extract: ExtractText;
  /** Absent: no picture is taken for a page. */
  readonly isPage?: IsPage;
  /**
   * The text of a file that the caller has uploaded to a provider; undefined if it has uploaded none
   * with this id. Absent: there are no providers.
   */
  readonly readUpload?: (id: string, context: IntakeContext) => Promise<UploadedText | undefined>;
  /** Reads one of our MCP resources; absent: there are none. */
  readonly readResource?: (uri: string, context: IntakeContext) => Promise<ResourceBytes>;
}

/** Reads the files of one call, each whole, and checks them for secrets. */
export interface FileReader {
  named(file: Pick<NamedFile, 'name' | 'path'>): Promise<ReadContent>;
  /** A file of a folder or pattern, or why it is left out: it fails the call only by secrets that are blocked. */
  within(file: Pick<NamedFile, 'name' | 'path'>): Promise<ReadContent | LeftOutReason>;
  /** The bytes can be read again once they are stored under this id. */
  content(input: Extract<ParsedInput, { is: 'content' }>, id: string): Promise<ReadContent>;
  /** A stored file, or one at a provider, which has no `file`. */
  stored(id: string): Promise<ReadContent & { readonly file?: StoredFile }>;
  resource(uri: string): Promise<ReadContent>;
}

interface ReaderScope {
  readonly field: string;
  readonly by: WorkspaceReader;
  readonly context: IntakeContext;
  readonly keeps: IntakeOptions['keeps'] | undefined;
}

const MAX_SHOWN_CHARS = 200;

/** Why a listed file cannot be opened: it may have been deleted, replaced or locked since. */
const UNREADABLE = new Map<ErrorClass, LeftOutReason>([
  ['not_found', 'unread'],
  ['permission', 'unread'],
  ['conflict', 'unread'],
  ['validation', 'special'],
  ['too_large', 'too_large'],
]);

/** Why what was opened gives no text. */
const UNUSABLE = new Map<ErrorClass, LeftOutReason>([
  ['validation', 'no_text'],
  ['too_large', 'no_text'],
  ['conflict', 'no_text'],
]);

export function createFileReader(deps: FileReaderDeps, scope: ReaderScope): FileReader {
  const { workspace, files, extract } = deps;
  const { field, by, context, keeps } = scope;
  const { signal } = context;
  const { principal } = context.caller;

  async function read(file: FileBytes): Promise<ReadContent> {
    signal.throwIfAborted();
    if (file.bytes.length === 0) {
      const empty = notice('file_empty', { file: oneLine(file.name, MAX_SHOWN_CHARS) });
      return { mediaType: 'text/plain', isEmpty: true, notices: [empty] };
    }
    const content = await readFileContent(file, field, extract, signal, deps.isPage);
    const found = content.text ? await checkSecrets(content.text, deps, field) : [];
    return { ...content, notices: [...content.notices, ...found] };
  }

  async function open({ name, path }: Pick<NamedFile, 'name' | 'path'>): Promise<FileBytes> {
    for await (const { bytes, sha256 } of workspace.open([path], field, by)) {
      return {
        name,
        bytes,
        sha256,
        again: () => sameFile(workspace, { path, name, sha256 }, scope),
      };
    }
    throw noStoredFile(name, field);
  }

  async function* storedBytes(id: string): AsyncGenerator<Uint8Array> {
    const content = await files.read(id, principal);
    if (!content) throw noStoredFile(id, field);
    yield* content.chunks;
  }

  async function uploaded(id: string): Promise<ReadContent> {
    const found = isId(id, 'file') ? undefined : await deps.readUpload?.(id, context);
    if (!found) throw noStoredFile(id, field);
    const bytes = Buffer.from(found.text);
    if (bytes.length > MAX_OPENED_FILE_BYTES) throw tooLarge(found.name, field);
    return read(textBytes(fileName(found.name), found.text, bytes));
  }

  return {
    named: async (file) => read(await open(file)),

    async within(file) {
      let isOpen = false;
      try {
        const opened = await open(file);
        isOpen = true;
        return await read(opened);
      } catch (thrown) {
        signal.throwIfAborted();
        const error = CallError.from(thrown);
        const left = isRefusedForPassword(error)
          ? 'unread'
          : (isOpen ? UNUSABLE : UNREADABLE).get(error.class);
        if (left === undefined) throw error;
        return left;
      }
    },

    content: (input, id) => {
      const again = () => (keeps === 'nothing' ? onceMore(input.bytes) : storedBytes(id));
      return read({ ...input, again });
    },

    async stored(id) {
      const file = await files.get(id, principal);
      if (!file) return uploaded(id);
      if (file.bytes > MAX_OPENED_FILE_BYTES) throw tooLarge(file.name, field);
      const { sha256, mime } = file;
      const bytes = await wholeOf(storedBytes(id), file.bytes);
      const name = fileName(file.name);
      const about = { name, sha256, contentType: mime };
      return { file, ...(await read({ ...about, bytes, again: () => storedBytes(id) })) };
    },

    async resource(uri) {
      if (!deps.readResource) throw noResource(uri, field);
      const { name, bytes, contentType } = await deps
        .readResource(uri, context)
        .catch((thrown: unknown) => {
          const error = CallError.from(thrown);
          throw new CallError(error.class, error.message, {
            ...error.facts(),
            field,
            cause: error,
          });
        });
      const sha256 = await sha256InSlices(bytes, () => sleep(deps.clock, 0));
      const about = { name: fileName(name), sha256, bytes };
      return read({
        ...about,
        ...(contentType !== undefined && { contentType }),
        again: () => onceMore(bytes),
      });
    },
  };
}

function textBytes(name: string, text: string, bytes: Uint8Array): FileBytes {
  return {
    name,
    text,
    bytes,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    again: () => onceMore(bytes),
  };
}

async function* onceMore(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Reads a named file again; it has to be the file that was read before. */
async function* sameFile(
  workspace: Pick<Workspace, 'open'>,
  { path, name, sha256 }: { readonly path: string; readonly name: string; readonly sha256: string },
  { field, by }: ReaderScope,
): AsyncGenerator<Uint8Array> {
  for await (const file of workspace.open([path], field, by)) {
    if (file.sha256 !== sha256) {
      throw new CallError('conflict', `${shownName(name)} was changed during the call.`, {
        field,
        fix: 'Ask again.',
      });
    }
    yield file.bytes;
  }
}

async function wholeOf(chunks: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for await (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole.subarray(0, at);
}

function noStoredFile(id: string, field: string): CallError {
  return new CallError('not_found', `There is no stored file ${shownName(id)} of yours.`, {
    field,
    fix: 'Attach the file again; exai files list shows those that are stored.',
  });
}

function noResource(uri: string, field: string): CallError {
  return new CallError('not_found', `There is no resource ${shownName(uri)}.`, { field });
}

function tooLarge(name: string, field: string): CallError {
  const limit = formatMegabytes(MAX_OPENED_FILE_BYTES);
  const message = `${shownName(name)} is over the limit of ${limit} for one file.`;
  return new CallError('too_large', message, { field });
}

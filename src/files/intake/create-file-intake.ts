import { CallError } from '#core/errors/call-error.ts';
import type { Caller } from '#core/calls/call.ts';
import { fileIdOf, fileUri } from '#core/files/file-input.ts';
import type { FileIntake, IntakeContext, IntakeOptions } from '#core/files/file-intake.ts';
import type { Id, NewId } from '#core/ids.ts';
import type { Notice } from '#core/messages/notices.ts';
import type { FileStore } from '#core/stores/files.ts';
import { attachmentName } from '#core/text/attachment-name.ts';
import type { InputRequired } from '#core/tools/input-request.ts';
import type { LeftOutFiles, NamedFile, Workspace, WorkspaceReader } from '#core/workspace.ts';
import { sleep } from '#core/time/clock.ts';
import { MAX_OPENED_FILES } from '../limits.ts';
import { readEarlierFiles, storedIds } from './earlier-files.ts';
import { createTextExtraction, type ExtractTextDeps } from './extract-text.ts';
import { isVideoUrl, mediaAt, requireMedia, type MediaFetcher } from './fetched-media.ts';
import { createFileReader, type FileReader, type FileReaderDeps } from './file-reader.ts';
import type { Pause } from './in-slices.ts';
import { createLoadState, type LoadState } from './load-state.ts';
import { contentOf, parseInput, type ParsedInput } from './parse-input.ts';
import type { ReadContent } from './read-content.ts';

/** How the folders of a caller are found; tools find them the same way. */
export interface CallerFolders {
  find(context: IntakeContext): { readonly roots: readonly string[] } | InputRequired;
  ownership(caller: Caller): Pick<WorkspaceReader, 'isOwner'>;
  /** The absolute path of a relative one. */
  place(path: string, roots: readonly string[]): string;
  /** The path relative to the first root, if it lies inside. */
  shorten(path: string, roots: readonly string[]): string;
  /** Paths of earlier calls without those that may mean another file now. */
  dropAmbiguous(
    paths: readonly string[],
    roots: readonly string[],
  ): { readonly paths: readonly string[]; readonly notices: readonly Notice[] };
}

export interface FileIntakeDeps
  extends ExtractTextDeps, Omit<FileReaderDeps, 'extract' | 'workspace' | 'files'> {
  readonly workspace: Pick<Workspace, 'list' | 'open'>;
  readonly files: FileStore;
  readonly folders: CallerFolders;
  readonly newId: NewId;
  /** Absent: providers fetch what is named by its address. */
  readonly mediaFetcher?: MediaFetcher;
}

/** Creates the intake. Files are read one after the other; nothing is stored before all are read. */
export function createFileIntake(deps: FileIntakeDeps): FileIntake {
  const { workspace, files, folders, newId } = deps;
  const extract = createTextExtraction(deps);
  return {
    async load(inputs, options, context) {
      const { field, earlier = [] } = options;
      const pause = () => sleep(deps.clock, 0);
      const parsed = await parseAll(inputs, options, pause);
      const paths = parsed.flatMap((each) => (each.is === 'path' ? [each.path] : []));
      const needsFolders = paths.length > 0 || earlier.some(isPath);
      const found = needsFolders ? folders.find(context) : { roots: [] };
      if ('inputRequests' in found) return found;
      const { roots } = found;
      const { signal, deadline, caller } = context;
      const fetcher = deps.mediaFetcher;
      const by = { roots, signal, deadline, ...folders.ownership(caller) };
      const place = (path: string) => folders.place(path, roots);
      const shorten = (path: string) => folders.shorten(path, roots);
      const readerDeps = { ...deps, secrets: deps.secrets, extract };
      const reader = createFileReader(readerDeps, { field, by, context, keeps: options.keeps });

      const listed = (await workspace.list(paths, field, by)).map((file) => ({
        ...file,
        name: shownPath(file.name, place, shorten),
      }));
      const known = await findStored(storedIds(earlier), caller.principal, files);
      const state = createLoadState(field);
      const taken = await readInputs(parsed, listed, {
        reader,
        state,
        place,
        field,
        idOf: ({ sha256, name }) => known.get(`${sha256} ${name}`) ?? newId('file'),
        ...(fetcher &&
          options.keeps !== 'nothing' && {
            fetchUrl: (url: string) => fetchInput(url, { field, signal, pause, fetcher }),
          }),
      });
      requireSomething(inputs.length, state, field);

      const now = new Set(taken.kept);
      const seenPaths = new Set(listed.map(({ path }) => path));
      const valid = folders.dropAmbiguous(earlier.filter(isPath), roots);
      const isValid = (kept: string) => !isPath(kept) || valid.paths.includes(kept);
      const before = await readEarlierFiles(
        earlier.filter((kept) => isValid(kept) && !now.has(place(kept))),
        (kept) => readKept(kept, { reader, state, workspace, by, seenPaths, field, shorten }),
      );
      if (options.keeps !== 'nothing') {
        await storeContents(taken.contents, context, files);
        if (known.size > 0) await files.touch([...known.values()], caller.principal);
      }
      return {
        texts: [...before.texts, ...state.texts],
        media: [
          ...before.media.map((each) => ({ ...each, isEarlier: true as const })),
          ...state.media,
        ],
        notices: [...state.notices, ...valid.notices, ...before.notices],
        kept: options.keeps === 'nothing' ? [] : taken.kept,
      };
    },
  };
}

async function parseAll(
  inputs: Parameters<FileIntake['load']>[0],
  { field, as }: IntakeOptions,
  pause: Pause,
): Promise<readonly ParsedInput[]> {
  if (inputs.length > MAX_OPENED_FILES) {
    const message = `${field} has ${inputs.length} entries; at most ${MAX_OPENED_FILES} can be read at once.`;
    throw new CallError('too_large', message, { field, fix: 'Name those that matter most.' });
  }
  const all: ParsedInput[] = [];
  for (const input of inputs) {
    const parsed = await parseInput(input, field, pause);
    // Only pictures may be fetched by the provider; anywhere else an address is a wrong path.
    const isPlace = parsed.is === 'url' && as !== 'pictures';
    all.push(isPlace ? { is: 'path', path: parsed.url } : parsed);
  }
  return all;
}

/**
 * The name that providers get: the same for every way to write a path and in every question, so that
 * prompt caches hit, and without the folders above the first root.
 */
function shownPath(
  name: string,
  place: (path: string) => string,
  shorten: (path: string) => string,
): string {
  return attachmentName(shorten(place(name)));
}

/** Whether an entry that was kept is a path. */
function isPath(kept: string): boolean {
  return !/^(?:exai|https?):\/\//i.test(kept);
}

/** A file that came as content and is not stored yet. */
interface NewContent {
  readonly id: Id<'file'>;
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

type ContentInput = Extract<ParsedInput, { is: 'content' }>;

interface ReadInputsContext {
  readonly reader: FileReader;
  readonly state: LoadState;
  readonly place: (path: string) => string;
  /** The id under which a content is stored, or will be. */
  readonly idOf: (input: ContentInput) => Id<'file'>;
  /** Fetches a picture; undefined for a video, which its provider fetches. Absent: nothing is fetched. */
  readonly fetchUrl?: (url: string) => Promise<ContentInput | undefined>;
  readonly field: string;
}

interface TakenInputs {
  readonly kept: readonly string[];
  readonly contents: readonly NewContent[];
}

async function readInputs(
  parsed: readonly ParsedInput[],
  listed: readonly NamedFile[],
  { reader, state, place, idOf, fetchUrl, field }: ReadInputsContext,
): Promise<TakenInputs> {
  const kept = new Set<string>();
  const contents = new Map<string, NewContent>();
  let pathIndex = 0;

  async function addContent(input: ContentInput, check?: (content: ReadContent) => void) {
    const twin = `${input.sha256} ${input.name}`;
    if (contents.has(twin)) return;
    const id = idOf(input);
    const content = await reader.content(input, id);
    check?.(content);
    state.add(content);
    if (content.isEmpty) return;
    const { name, bytes } = input;
    contents.set(twin, { id, name, mime: content.mediaType, bytes });
    kept.add(fileUri(id));
  }

  for (const input of parsed) {
    switch (input.is) {
      case 'path':
        await readNamed(
          listed.filter(({ index }) => index === pathIndex),
          reader,
          state,
        );
        pathIndex += 1;
        kept.add(place(input.path));
        break;
      case 'content':
        await addContent(input);
        break;
      case 'stored':
        if (kept.has(fileUri(input.id))) break;
        state.add(await reader.stored(input.id));
        kept.add(fileUri(input.id));
        break;
      case 'resource':
        state.add(await reader.resource(input.uri));
        kept.add(input.uri);
        break;
      case 'url': {
        const { url } = input;
        const fetched = await fetchUrl?.(url);
        if (fetched) {
          await addContent(fetched, (content) => requireMedia(content, url, field));
          break;
        }
        state.add({ media: mediaAt(url), mediaType: 'image/*', notices: [] });
        kept.add(url);
        break;
      }
    }
  }
  return { kept: [...kept], contents: [...contents.values()] };
}

interface FetchContext {
  readonly field: string;
  readonly signal: AbortSignal;
  readonly pause: Pause;
  readonly fetcher: MediaFetcher;
}

/** What an address has; undefined for a video. */
async function fetchInput(
  url: string,
  { field, signal, pause, fetcher }: FetchContext,
): Promise<ContentInput | undefined> {
  if (isVideoUrl(url)) {
    await fetcher.check(url, field);
    return undefined;
  }
  const { name, contentType, bytes } = await fetcher.fetch(url, field, signal);
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return contentOf(content, { field, pause, name, contentType });
}

/** Reads the files of one path, folder or pattern. */
async function readNamed(
  files: readonly NamedFile[],
  reader: FileReader,
  state: LoadState,
): Promise<void> {
  const lists = new Set<LeftOutFiles>();
  for (const file of files) {
    if (!file.within) {
      state.add(await reader.named(file));
      continue;
    }
    const { leftOut } = file.within;
    lists.add(leftOut);
    const content = await reader.within(file);
    if (typeof content === 'string') leftOut.add(content, file.name);
    else state.addFrom(file, content);
  }
  for (const leftOut of lists) state.notify(leftOut.notices());
}

interface ReadKeptContext {
  readonly reader: FileReader;
  readonly state: LoadState;
  readonly workspace: Pick<Workspace, 'list'>;
  readonly by: WorkspaceReader;
  /** Files of this call, which are not read again. */
  readonly seenPaths: Set<string>;
  readonly field: string;
  readonly shorten: (path: string) => string;
}

/** Reads an entry that a conversation has kept, except for what this call contains itself. */
async function readKept(
  kept: string,
  { reader, state, workspace, by, seenPaths, field, shorten }: ReadKeptContext,
): Promise<readonly ReadContent[]> {
  const id = fileIdOf(kept);
  if (id !== undefined) {
    const content = await reader.stored(id);
    const { sha256, name = content.text?.name } = content.file ?? {};
    const isHere = [...state.media, ...documentsOf(state)].some((each) => each.sha256 === sha256);
    return isHere || state.texts.some((text) => text.name === name) ? [] : [content];
  }
  if (/^https?:/i.test(kept)) {
    return [{ media: mediaAt(kept), mediaType: 'image/*', notices: [] }];
  }
  if (!isPath(kept)) return [await reader.resource(kept)];
  const contents: ReadContent[] = [];
  for (const listed of await workspace.list([kept], field, by)) {
    if (seenPaths.has(listed.path)) continue;
    seenPaths.add(listed.path);
    const file = { ...listed, name: shownPath(listed.name, (path) => path, shorten) };
    const content = file.within ? await reader.within(file) : await reader.named(file);
    if (typeof content === 'string') continue;
    if (!(content.media && file.within?.is === 'folder')) contents.push(content);
  }
  return contents;
}

function documentsOf({ texts }: LoadState) {
  return texts.flatMap(({ document }) => document ?? []);
}

/** Stored files by content and name. */
async function findStored(
  ids: readonly string[],
  principal: string,
  files: Pick<FileStore, 'get'>,
): Promise<ReadonlyMap<string, Id<'file'>>> {
  const known = new Map<string, Id<'file'>>();
  for (const id of ids) {
    const file = await files.get(id, principal);
    if (file) known.set(`${file.sha256} ${file.name}`, file.id);
  }
  return known;
}

async function storeContents(
  contents: readonly NewContent[],
  { caller, signal }: IntakeContext,
  files: Pick<FileStore, 'get' | 'write'>,
): Promise<void> {
  const { principal } = caller;
  for (const { bytes, ...file } of contents) {
    // A content that the conversation has already is stored once.
    if (await files.get(file.id, principal)) continue;
    await files.write({ ...file, principal }, [bytes], { signal });
  }
}

/** Refuses a call whose files are all empty. */
function requireSomething(
  inputs: number,
  { texts, media, notices }: LoadState,
  field: string,
): void {
  if (inputs === 0 || texts.length + media.length > 0) return;
  if (!notices.some(({ code }) => code === 'file_empty')) return;
  throw new CallError('validation', 'Every attached file is empty.', {
    field,
    fix: 'Attach files with content, or none.',
  });
}

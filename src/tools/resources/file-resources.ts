import type { Results } from '#core/calls/results.ts';
import { resultUri } from '#core/calls/results.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fileUri } from '#core/files/file-input.ts';
import { isId } from '#core/ids.ts';
import type { FileContent, FileStore, StoredFile } from '#core/stores/files.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { isTextMediaType } from '#core/text/text-media-type.ts';
import type { ResourceContents } from '#core/tools/content.ts';
import type { Resource, ResourceTemplate } from '#core/tools/resource.ts';
import { ICON } from '../icon.ts';

export const FILES_URI = 'exai://files';
const JSON_TYPE = 'application/json';
const MAX_LISTED = 100;
/** Of a file that is read as a resource: clients hold the whole message in memory. */
const MAX_READ_BYTES = 8_000_000;
/** Who may ask about files may read them. */
const TOOL = 'file_chat';

export interface FileResourceDeps {
  readonly files: Pick<FileStore, 'get' | 'read' | 'list'>;
  readonly results: Pick<Results, 'list'>;
}

/** Creates the resources of stored files: the list, and each file by its id. */
export function fileResources(deps: FileResourceDeps): {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
} {
  return { resources: [fileListResource(deps)], templates: [fileTemplate(deps)] };
}

function fileListResource({ files, results }: FileResourceDeps): Resource {
  return {
    uri: FILES_URI,
    name: 'files',
    title: 'Files',
    description: `Your last ${MAX_LISTED} stored files and long results, newest first, each with its URI.`,
    mimeType: JSON_TYPE,
    icons: [ICON],
    uses: TOOL,
    async read({ caller: { principal } }) {
      const stored = await files.list(principal, MAX_LISTED);
      const long = await results.list(principal, MAX_LISTED);
      const text = JSON.stringify({
        files: stored.map(fileRow),
        results: long.map(({ id, tool, chars, createdAt }) => ({
          uri: resultUri(id),
          id,
          tool,
          chars,
          created: new Date(createdAt).toISOString(),
        })),
      });
      return [{ uri: FILES_URI, mimeType: JSON_TYPE, text }];
    },
  };
}

function fileRow({ id, name, mime, bytes, sha256, createdAt, usedAt }: StoredFile) {
  return {
    uri: fileUri(id),
    id,
    name,
    mime_type: mime,
    bytes,
    sha256,
    created: new Date(createdAt).toISOString(),
    used: new Date(usedAt).toISOString(),
  };
}

function fileTemplate({ files }: Pick<FileResourceDeps, 'files'>): ResourceTemplate {
  return {
    uriTemplate: fileUri('{id}'),
    name: 'file',
    title: 'Stored file',
    description: 'A stored file of yours: text as text, anything else as base64.',
    icons: [ICON],
    uses: TOOL,
    complete: {
      id: async (value, _args, { principal }) => {
        const found = await files.list(principal, MAX_LISTED);
        return found
          .filter(({ id, name }) => id.includes(value) || name.includes(value))
          .map(({ id }) => id);
      },
    },
    async read({ id = '' }, uri, { caller: { principal }, signal }) {
      // An invalid id and another caller's file are both not found.
      const file = isId(id, 'file') ? await files.get(id, principal) : undefined;
      if (!file) throw notThere();
      if (file.bytes > MAX_READ_BYTES) throw tooLarge(file);
      const content = await files.read(id, principal);
      if (!content) throw notThere();
      return [await contentsOf(uri, content, signal)];
    },
  };
}

async function contentsOf(
  uri: string,
  { file: { mime }, chunks }: FileContent,
  signal: AbortSignal,
): Promise<ResourceContents> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    parts.push(chunk);
  }
  const bytes = Buffer.concat(parts);
  const isUnknown = UNKNOWN_TYPES.has(mime.toLowerCase());
  const text = isUnknown ? plainText(bytes) : isTextMediaType(mime) ? decodeUtf8(bytes) : undefined;
  if (text === undefined) return { uri, mimeType: mime, blob: bytes.toString('base64') };
  return { uri, mimeType: isUnknown ? 'text/plain' : mime, text };
}

/** A client that does not know the type of a file sends these, also for a text. */
const UNKNOWN_TYPES: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
]);

/** Undefined for other bytes than a text: most formats have control characters, and a text has none. */
function plainText(bytes: Uint8Array): string | undefined {
  const text = decodeUtf8(bytes);
  return text === undefined || CONTROL.test(text) ? undefined : text;
}

// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/;

/** Undefined for bytes that are not UTF-8, which would not survive as text. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function notThere(): CallError {
  return new CallError('not_found', 'There is no file at this address.', {
    field: 'uri',
    fix: `${FILES_URI} has the addresses of yours.`,
  });
}

function tooLarge({ id, bytes }: StoredFile): CallError {
  const message = `The file has ${formatMegabytes(bytes)}; at most ${formatMegabytes(MAX_READ_BYTES)} can be read as a resource.`;
  return new CallError('too_large', message, {
    field: 'uri',
    fix: `Ask about it with file_chat ({"file_id": "${id}"}), or save it with: exai files get ${id} --to FILE`,
  });
}

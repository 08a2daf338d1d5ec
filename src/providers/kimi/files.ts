import { CallError } from '#core/errors/call-error.ts';
import { codedError } from '#core/errors/coded-error.ts';
import type {
  FilePurpose,
  FileToUpload,
  Provider,
  ProviderContext,
  ProviderFile,
  VendorRequestRecord,
} from '#core/llm/provider.ts';
import { LightAbortController } from '#core/net/abort.ts';
import { kimi } from '#core/providers/kimi.ts';
import type { Clock } from '#core/time/clock.ts';
import { deadlineIn } from '#core/time/deadline.ts';
import {
  asCount,
  asList,
  asObject,
  asText,
  type Unknown,
} from '../openai-compatible/response/json.ts';
import type { OpenAiClient } from '../openai-compatible/openai-client.ts';
import { withoutLostUploads } from '../lost-uploads.ts';
import { EXTRACTION_FAILED, EXTRACTION_FIX } from './errors.ts';

const MAX_FILE_BYTES = kimi.uploads.maxBytes;
const PURPOSES: Partial<Record<FilePurpose, string>> = {
  extract: 'file-extract',
  image: 'image',
  video: 'video',
  batch: 'batch',
};

type Files = Required<
  Pick<Provider, 'upload' | 'fileContent' | 'listFiles' | 'deleteFile' | 'ocr'>
>;

/** The time for deleting what is useless; it is deleted after a cancellation, too. */
const CLEAN_UP_MS = 5_000;

export function createKimiFiles(client: OpenAiClient, clock: Clock): Files {
  /** Deletes a file that could not be read: it is useless and counts against the account. */
  async function cleanUp(id: string, context: ProviderContext): Promise<void> {
    const own = {
      signal: new LightAbortController(),
      deadline: deadlineIn(clock, CLEAN_UP_MS),
      ...(context.onVendorRequest && {
        onVendorRequest: (exchange: VendorRequestRecord) => context.onVendorRequest?.(exchange),
      }),
    };
    try {
      await deleteFile(id, own);
    } catch {
      // The caller gets the error that led here.
    }
  }

  async function deleteFile(id: string, context: ProviderContext): Promise<'deleted' | 'absent'> {
    const path = pathOf(id);
    try {
      const { json } = await client.call(
        { operation: 'delete_file', method: 'DELETE', path },
        context,
      );
      if (asObject(json)?.['deleted'] !== false) return 'deleted';
    } catch (thrown) {
      if (CallError.from(thrown).class === 'not_found') return 'absent';
      throw thrown;
    }
    throw new CallError('provider_error', 'Kimi did not delete the file.', { provider: 'kimi' });
  }

  async function send(file: FileToUpload, context: ProviderContext): Promise<ProviderFile> {
    const purpose = checkUpload(file);
    const { name, mediaType, size } = file;
    const answer = await client.call(
      {
        operation: 'upload',
        method: 'POST',
        path: '/files',
        form: {
          fields: { purpose },
          file: { field: 'file', name, mediaType, size, bytes: () => file.bytes() },
        },
      },
      context,
    );
    const uploaded = readFile(asObject(answer.json) ?? {}, { name, size, purpose });
    if (!uploaded)
      throw new CallError('bad_response', 'Kimi took the file and gave no id for it.', {
        provider: 'kimi',
      });
    if (uploaded.state !== 'failed') return uploaded;
    await cleanUp(uploaded.id, context);
    throw codedError('provider_error', EXTRACTION_FAILED, {
      provider: 'kimi',
      fix: EXTRACTION_FIX,
    });
  }

  async function fileContent(id: string, context: ProviderContext): Promise<string> {
    const path = `${pathOf(id)}/content`;
    try {
      return extractedText(
        await client.call(
          { operation: 'file_content', method: 'GET', path, expects: 'text' },
          context,
        ),
      );
    } catch (thrown) {
      const error = CallError.from(thrown);
      if (error.reason?.code === EXTRACTION_FAILED.code) await cleanUp(id, context);
      throw error;
    }
  }

  async function listFiles(context: ProviderContext): Promise<readonly ProviderFile[]> {
    const call = { operation: 'list_files', method: 'GET', path: '/files' } as const;
    const { json } = await client.call(call, context);
    const listed = Array.isArray(json) ? json : asObject(json)?.['data'];
    if (!Array.isArray(listed))
      throw new CallError('bad_response', 'Kimi gave no list of files.', { provider: 'kimi' });
    return asList(listed).flatMap((each) => readFile(asObject(each) ?? {}) ?? []);
  }

  const upload = withoutLostUploads({ upload: send, listFiles, deleteFile }, clock);

  return {
    deleteFile,
    upload,
    fileContent,
    async ocr(file, context) {
      const { id } = await upload({ ...file, purpose: 'extract' }, context);
      try {
        return { text: await fileContent(id, context) };
      } finally {
        await cleanUp(id, context);
      }
    },
    listFiles,
  };
}

function checkUpload({ purpose, size }: FileToUpload): string {
  const known = PURPOSES[purpose];
  if (known === undefined) {
    const purposes = Object.keys(PURPOSES).join(', ');
    throw new CallError('validation', `Kimi takes no file for the purpose "${purpose}".`, {
      provider: 'kimi',
      field: 'purpose',
      fix: `Use one of ${purposes}.`,
    });
  }
  if (size === 0)
    throw new CallError('validation', 'The file is empty.', {
      provider: 'kimi',
      field: 'file',
      fix: 'Send a file that has something in it.',
    });
  if (size > MAX_FILE_BYTES)
    throw new CallError('too_large', 'The file has more than 100 MB, which Kimi does not take.', {
      provider: 'kimi',
      field: 'file',
      fix: 'Split it, or send only the part that matters.',
    });
  return known;
}

/** Ids come from callers and must not lead to another path. */
function pathOf(id: string): string {
  if (/^[\w-][\w.:-]{0,199}$/.test(id)) return `/files/${encodeURIComponent(id)}`;
  throw new CallError('validation', 'This is not a Kimi file id.', {
    provider: 'kimi',
    field: 'fileId',
    fix: 'Use the id that the upload gave.',
  });
}

interface Known {
  readonly name: string;
  readonly size: number;
  readonly purpose: string;
}

/** The id comes under several names and wrappers. */
function readFile(answer: Unknown, known?: Known): ProviderFile | undefined {
  const file = [answer, asObject(answer['data']), asObject(answer['file'])].find(
    (each) => each && idOf(each) !== undefined,
  );
  const id = file && idOf(file);
  if (!file || id === undefined) return undefined;
  return {
    id,
    name: asText(file['filename']) ?? asText(file['name']) ?? known?.name ?? id,
    size: asCount(file['bytes']) ?? asCount(file['size']) ?? known?.size ?? 0,
    purpose: asText(file['purpose']) ?? known?.purpose ?? '',
    createdAtMs: toMs(asCount(file['created_at'])),
    state: stateOf(asText(file['status'])),
  };
}

function idOf(file: Unknown): string | undefined {
  const id = file['id'] ?? file['file_id'];
  return typeof id === 'number' ? String(id) : asText(id);
}

/** In seconds or milliseconds. */
function toMs(time: number | undefined): number {
  if (time === undefined) return 0;
  return time > 100_000_000_000 ? time : time * 1000;
}

/** `ok` in practice, `ready` in newer documentation; a pending state is not documented. */
function stateOf(status: string | undefined): ProviderFile['state'] {
  if (status === 'error' || status === 'failed') return 'failed';
  const isUnderWay = status !== undefined && /pending|processing|progress|uploading/.test(status);
  return isUnderWay ? 'pending' : 'ready';
}

/** In practice JSON that contains the text, by the schema the text itself. */
function extractedText({ text, json }: { readonly text: string; readonly json: unknown }): string {
  const wrapped = asObject(json);
  const content = wrapped?.['content'];
  // A user's document may be JSON with a member of that name.
  const isWrapped = wrapped && ('filename' in wrapped || 'file_type' in wrapped);
  return isWrapped && typeof content === 'string' ? content : text;
}

import { CallError } from '#core/errors/call-error.ts';
import type { NewId } from '#core/ids.ts';
import {
  GATEWAY_OPERATIONS,
  type GatewayFileRequest,
  type GatewayFiles,
  type GatewayFilesRequest,
  type GatewayStoredFile,
  type GatewayUpload,
} from '#core/llm/gateway.ts';
import { fix } from '#core/messages/fixes.ts';
import type { FileStore, StoredFile } from '#core/stores/files.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { oneLine } from '#core/text/text.ts';
import type { Tool } from '#core/tools/tool.ts';
import { defineOperation } from './define-operation.ts';

const TIMEOUT_MS = 10_000;

export interface GatewayFilesDeps {
  readonly files: Pick<FileStore, 'write' | 'get' | 'list' | 'delete'>;
  readonly newId: NewId;
  readonly maxFileBytes: number;
  /** Of an upload. */
  readonly timeoutMs: number;
}

/** Operations on the files of the caller. */
export function gatewayFiles(deps: GatewayFilesDeps): readonly Tool[] {
  const { files, newId, maxFileBytes, timeoutMs } = deps;

  async function find(id: string, principal: string): Promise<StoredFile> {
    const file = await files.get(id, principal);
    if (!file) throw unknownFile(id);
    return file;
  }

  const create = defineOperation<GatewayUpload>({
    name: GATEWAY_OPERATIONS.createFile,
    title: 'Gateway: upload a file',
    description: 'Stores files of clients of the OpenAI and Anthropic APIs, at /v1/files.',
    effect: 'adds',
    timeoutMs,
    async run({ receive }, { caller: { principal }, signal }) {
      const file = await receive(({ name, mime, chunks, purpose }) =>
        files
          .write({ id: newId('file'), principal, name, mime }, chunks, {
            maxBytes: maxFileBytes,
            signal,
            purpose,
          })
          .catch((thrown: unknown) => {
            throw namingSetting(thrown, maxFileBytes);
          }),
      );
      return { text: '', content: { file } satisfies GatewayStoredFile };
    },
  });

  const list = defineOperation<GatewayFilesRequest>({
    name: GATEWAY_OPERATIONS.listFiles,
    title: 'Gateway: list files',
    description: 'Lists the files of a client of the OpenAI and Anthropic APIs, at /v1/files.',
    timeoutMs: TIMEOUT_MS,
    async run({ limit, after, ...options }, { caller: { principal } }) {
      if (after !== undefined) await find(after, principal);
      const found = await files.list(principal, limit + 1, after, options);
      const page = { files: found.slice(0, limit), hasMore: found.length > limit };
      return { text: '', content: page satisfies GatewayFiles };
    },
  });

  const read = defineOperation<GatewayFileRequest>({
    name: GATEWAY_OPERATIONS.readFile,
    title: 'Gateway: read a file',
    description: 'Reads files of clients of the OpenAI and Anthropic APIs, at /v1/files.',
    timeoutMs: TIMEOUT_MS,
    async run({ id }, { caller: { principal } }) {
      const file = await find(id, principal);
      return { text: '', content: { file } satisfies GatewayStoredFile };
    },
  });

  const remove = defineOperation<GatewayFileRequest>({
    name: GATEWAY_OPERATIONS.deleteFile,
    title: 'Gateway: delete a file',
    description: 'Deletes files of clients of the OpenAI and Anthropic APIs, at /v1/files.',
    effect: 'deletes',
    timeoutMs: TIMEOUT_MS,
    async run({ id }, { caller: { principal } }) {
      await find(id, principal);
      await files.delete(id, principal);
      return { text: '', content: null };
    },
  });

  return [create, list, read, remove];
}

/** The same whether it was deleted, never existed or belongs to another client. */
export function unknownFile(id: string): CallError {
  return new CallError('not_found', `There is no file "${oneLine(id, 80)}".`, {
    field: 'file_id',
    fix: 'List the files with GET /v1/files. Unused files are kept for retention.filesDays.',
  });
}

function namingSetting(thrown: unknown, maxFileBytes: number): CallError {
  const error = CallError.from(thrown);
  if (error.class !== 'too_large') return error;
  const message = `The file is over the limit of ${formatMegabytes(maxFileBytes)}.`;
  return new CallError('too_large', message, {
    field: 'file',
    fixes: [fix('raise_setting', { settings: ['gateway.maxFileBytes'] })],
    cause: error,
  });
}

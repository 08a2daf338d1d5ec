import { createHash } from 'node:crypto';
import { isObject } from '../is-object.ts';
import type { Ask, Reply } from '../vendor.ts';
import { badRequest, notFound, type ComposioError } from './errors.ts';
import { page } from './page.ts';
import { baseOf, type ComposioState, type StoredFile } from './state.ts';

const NEEDED = ['toolkit_slug', 'tool_slug', 'filename', 'mimetype', 'md5'] as const;
const VALID_MS = 3_600_000;

/** `POST /files/upload/request`: where to write the bytes, and the key that names them later. */
export async function requestUpload(
  state: ComposioState,
  ask: Ask,
  reply: Reply,
): Promise<ComposioError | undefined> {
  const json = isObject(ask.json) ? ask.json : {};
  const missing = NEEDED.find((name) => typeof json[name] !== 'string' || json[name] === '');
  if (missing !== undefined) return badRequest(`${missing}: Required`);
  const [toolkit, tool, filename, mimetype, md5] = NEEDED.map((name) => String(json[name]));
  if (!/^[0-9a-f]{32}$/.test(md5 ?? '')) return badRequest('md5: Invalid');
  if (!state.catalogue().find(tool ?? '')) return notFound(`Tool ${tool ?? ''} not found`);
  const key = `215406/${toolkit ?? ''}/${tool ?? ''}/request/${md5 ?? ''}`;
  const known = state.files.get(key);
  const common = {
    id: state.newId('file_'),
    key,
    metadata: { storage_backend: state.switches.storage },
  };
  if (known?.data && state.switches.repeatedUpload === 'existing') {
    const url = `${baseOf(ask)}/s3/${key}`;
    await reply.json(200, { ...common, type: 'existing', existing_url: url, existingUrl: url });
    return undefined;
  }
  const isExpired = ask.fault?.id === 'F17.presigned';
  const stored: StoredFile = {
    key,
    toolkit: toolkit ?? '',
    tool: (tool ?? '').toUpperCase(),
    filename: filename ?? '',
    mimetype: mimetype ?? '',
    md5: md5 ?? '',
    expiresAtMs: ask.now() + (isExpired ? -1 : VALID_MS),
    data: known?.data,
  };
  state.files.set(key, stored);
  const url = `${baseOf(ask)}/s3/${key}?X-Amz-Expires=3600&X-Amz-Signature=${state.newId('')}`;
  await reply.json(200, { ...common, type: 'new', new_presigned_url: url, newPresignedUrl: url });
  return undefined;
}

/** The storage itself, which speaks XML. */
export async function serveStorage(
  state: ComposioState,
  ask: Ask,
  reply: Reply,
  key: string,
): Promise<void> {
  const stored = state.files.get(key);
  const deny = (code: string, message: string): Promise<void> =>
    reply.raw(
      403,
      `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
      { 'content-type': 'application/xml' },
    );
  if (!stored) return deny('AccessDenied', 'Access Denied');
  if (ask.method === 'GET') {
    if (!stored.data) return deny('AccessDenied', 'Access Denied');
    return reply.raw(200, stored.data, { 'content-type': stored.mimetype });
  }
  if (ask.now() > stored.expiresAtMs) return deny('AccessDenied', 'Request has expired');
  const isAzure = state.switches.storage === 'azure_blob_storage';
  if (isAzure && ask.headers['x-ms-blob-type'] !== 'BlockBlob')
    return deny('MissingRequiredHeader', 'x-ms-blob-type');
  if (ask.headers['content-type'] !== stored.mimetype)
    return deny('SignatureDoesNotMatch', 'The content type is not the one that was signed.');
  if (createHash('md5').update(ask.body).digest('hex') !== stored.md5)
    return deny('BadDigest', 'The MD5 you specified did not match what was received.');
  stored.data = ask.body;
  return reply.raw(isAzure ? 201 : 200, '', { etag: `"${stored.md5}"` });
}

export async function listFiles(state: ComposioState, ask: Ask, reply: Reply): Promise<undefined> {
  const tool = ask.query.get('tool_slug');
  const toolkit = ask.query.get('toolkit_slug');
  const items = [...state.files.values()]
    .filter((one) => one.data && (tool === null || one.tool === tool))
    .filter((one) => toolkit === null || one.toolkit === toolkit)
    .map((one) => ({
      toolkit_slug: one.toolkit,
      tool_slug: one.tool,
      filename: one.filename,
      mimetype: one.mimetype,
      md5: one.md5,
    }));
  await reply.json(200, page(items, ask.query));
  return undefined;
}

import { CallError } from '#core/call-error.ts';
import type { ChatMessage, ChatPart, MediaSource } from '#core/chat.ts';
import type { JsonObject } from '#core/json.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import { fetchPublic } from '#net/fetch-public.ts';
import { sniffMedia } from './sniff-media.ts';

type MediaPart = Exclude<ChatPart, { type: 'text' }>;
type Kind = 'image' | 'video';

const MEGABYTE = 1024 * 1024;
const MAX_BYTES: Record<Kind, number> = { image: 10 * MEGABYTE, video: 20 * MEGABYTE };
/** Of all that one request has us fetch. */
const MAX_TOTAL_BYTES = 40 * MEGABYTE;
const WORDS: Record<Kind, string> = { image: 'picture', video: 'video' };

/** In Kimi's words. It takes bytes, or a file of its own; it fetches nothing. */
export function writeMedia({ type, source }: MediaPart): JsonObject {
  const name = type === 'video' ? 'video_url' : 'image_url';
  return { type: name, [name]: { url: urlOf(source) } };
}

function urlOf(source: MediaSource): string {
  if ('fileId' in source) return `ms://${source.fileId}`;
  return 'url' in source ? source.url : `data:${source.mediaType};base64,${source.base64}`;
}

/** The messages with the bytes of every picture and video that is only an address. Nothing is fetched but from public places. */
export async function inlineMedia(
  messages: readonly ChatMessage[],
  http: GuardedHttp<'public'>,
  signal: AbortSignal,
): Promise<readonly ChatMessage[]> {
  const fetched = new Map<string, MediaSource>();
  let left = MAX_TOTAL_BYTES;

  async function inlinePart(part: ChatPart, field: string): Promise<ChatPart> {
    if (part.type !== 'image' && part.type !== 'video') return part;
    const { type, source } = part;
    checkSource(source, type, field);
    if (!('url' in source) || !/^https?:/i.test(source.url)) return part;
    const key = `${type} ${source.url}`;
    let bytes = fetched.get(key);
    if (!bytes) {
      const got = await fetchMedia(source.url, type, field, { http, signal, left });
      left -= got.size;
      bytes = got.source;
      fetched.set(key, bytes);
    }
    return { type, source: bytes };
  }

  const inlined: ChatMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user' || typeof message.content === 'string') {
      inlined.push(message);
      continue;
    }
    const parts: ChatPart[] = [];
    for (const [at, part] of message.content.entries())
      parts.push(await inlinePart(part, `messages[${index}].content[${at}]`));
    inlined.push({ ...message, content: parts });
  }
  return inlined;
}

function checkSource(source: MediaSource, kind: Kind, field: string): void {
  if ('fileId' in source) {
    if (/^[\w.:-]{1,200}$/.test(source.fileId)) return;
    throw refuse(
      field,
      'The id of the file is none of Kimi’s.',
      'Use the id that the upload gave.',
    );
  }
  const isData = 'url' in source && /^data:/i.test(source.url);
  if (!('url' in source) || isData) {
    const given = 'url' in source ? dataUrl(source.url) : source;
    if (given && given.base64 !== '' && given.mediaType.startsWith(`${kind}/`)) return;
    const fix = `Give base64 with a media type such as ${kind === 'image' ? 'image/png' : 'video/mp4'}.`;
    throw refuse(field, `This is no ${WORDS[kind]} in base64.`, fix);
  }
  if (/^(?:https?|ms):\/\/./i.test(source.url)) return;
  const fix = 'Use https://, a data URL with base64, or the id of an uploaded file.';
  throw refuse(field, `Kimi cannot take a ${WORDS[kind]} from such an address.`, fix);
}

function dataUrl(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  const comma = url.indexOf(',');
  const [mediaType = '', ...words] = url.slice(5, comma).toLowerCase().split(';');
  if (comma === -1 || words.at(-1) !== 'base64') return undefined;
  return { mediaType, base64: url.slice(comma + 1, comma + 2) };
}

interface Fetching {
  readonly http: GuardedHttp<'public'>;
  readonly signal: AbortSignal;
  readonly left: number;
}

async function fetchMedia(
  url: string,
  kind: Kind,
  field: string,
  { http, signal, left }: Fetching,
): Promise<{ readonly source: MediaSource; readonly size: number }> {
  const maxBytes = Math.min(MAX_BYTES[kind], left);
  let got: Awaited<ReturnType<typeof fetchPublic>>;
  try {
    got = await fetchPublic(http, url, { signal, maxBytes, accept: `${kind}/*` });
  } catch (thrown) {
    signal.throwIfAborted();
    throw unfetched(CallError.from(thrown), kind, field, maxBytes);
  }
  if (got.status < 200 || got.status >= 300) {
    const message = `The ${WORDS[kind]} could not be fetched: its server answered ${got.status}.`;
    throw refuse(field, message, 'Check the address, or send the bytes.');
  }
  const mediaType = sniffMedia(got.bytes, got.headers['content-type'] ?? '');
  if (!mediaType.startsWith(`${kind}/`)) {
    throw refuse(field, `What the address gives is no ${WORDS[kind]}.`, 'Check the address.');
  }
  const base64 = Buffer.from(got.bytes).toString('base64');
  return { source: { base64, mediaType }, size: got.bytes.length };
}

/** That somebody's server failed says nothing about Kimi, so it is the request that is at fault. */
function unfetched(error: CallError, kind: Kind, field: string, maxBytes: number): CallError {
  if (error.class === 'too_large') {
    const most = `${Math.floor(maxBytes / MEGABYTE)} MB`;
    return new CallError('too_large', `The ${WORDS[kind]} has more than ${most}.`, {
      field,
      fix: `Upload it with the purpose "${kind}" and use the id of the file, or send a smaller one.`,
      cause: error,
    });
  }
  const why = error.message.replace(/\.$/, '');
  return new CallError('validation', `The ${WORDS[kind]} could not be fetched: ${why}.`, {
    field,
    fix: error.fix ?? 'Check the address, or send the bytes.',
    cause: error,
  });
}

function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}

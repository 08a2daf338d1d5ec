import { CallError } from '#core/call-error.ts';
import type { ChatMessage, ChatPart, MediaSource } from '#core/chat.ts';
import { signalAt } from '#core/deadline.ts';
import type { Clock } from '#core/clock.ts';
import type { ProviderContext } from '#core/provider.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import { fetchPublic } from '#net/fetch-public.ts';
import type { Flavour } from './flavours.ts';

const MAX_BYTES = 10 * 1024 * 1024;
/** Of all pictures that one request has us fetch. */
const MAX_TOTAL_BYTES = 40 * 1024 * 1024;

type MediaPart = Exclude<ChatPart, { type: 'text' }>;

/** Messages whose pictures are all inside the request: a server at home cannot fetch them, and we look where they come from. */
export async function inlinePictures(
  messages: readonly ChatMessage[],
  flavour: Flavour,
  { publicHttp, clock }: { readonly publicHttp: GuardedHttp<'public'>; readonly clock: Clock },
  context: ProviderContext,
): Promise<readonly ChatMessage[]> {
  const hasMedia = messages.some(
    ({ content }) => typeof content !== 'string' && content.some(({ type }) => type !== 'text'),
  );
  if (!hasMedia) return messages;
  const timer = signalAt(context.deadline, clock, context.signal);
  let left = MAX_TOTAL_BYTES;
  const take = async (part: MediaPart, field: string): Promise<MediaPart> => {
    const source = await inline(part.source, field, publicHttp, {
      signal: timer.signal,
      maxBytes: Math.min(MAX_BYTES, left),
    });
    if ('url' in part.source && /^https?:/i.test(part.source.url))
      left -= source.base64.length * 0.75;
    refuseType(source.mediaType, flavour, field);
    return { ...part, source };
  };
  try {
    const inlined: ChatMessage[] = [];
    for (const [index, message] of messages.entries()) {
      if (message.role !== 'user' || typeof message.content === 'string') {
        inlined.push(message);
        continue;
      }
      const content: ChatPart[] = [];
      for (const part of message.content) {
        const field = `messages[${index}].content`;
        content.push(part.type === 'text' ? part : await take(part, field));
      }
      inlined.push({ ...message, content });
    }
    return inlined;
  } finally {
    timer.dispose();
  }
}

type Inlined = Extract<MediaSource, { base64: string }>;

async function inline(
  source: MediaSource,
  field: string,
  http: GuardedHttp<'public'>,
  { signal, maxBytes }: { readonly signal: AbortSignal; readonly maxBytes: number },
): Promise<Inlined> {
  if ('base64' in source) return source;
  if ('fileId' in source)
    throw refuse(field, 'A server of your own has no files by id.', 'Send the picture itself.');
  const data = /^data:([\w.+/-]{0,100});base64,/i.exec(source.url.slice(0, 200));
  if (data) return { mediaType: data[1] ?? '', base64: source.url.slice(data[0].length) };
  const { bytes, headers, status } = await fetchPublic(http, source.url, {
    signal,
    maxBytes: Math.max(0, maxBytes),
    accept: 'image/*',
  });
  if (status !== 200)
    throw refuse(field, `The picture could not be fetched (status ${status}).`, 'Look at its URL.');
  const mediaType = pictureType(bytes) ?? headers['content-type']?.split(';')[0]?.trim() ?? '';
  if (!mediaType.startsWith('image/'))
    throw refuse(field, 'What the URL leads to is no picture.', 'Look at the URL.');
  return { mediaType, base64: Buffer.from(bytes).toString('base64') };
}

function pictureType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp';
  return undefined;
}

function refuseType(type: string, { pictures, title }: Flavour, field: string): void {
  if (pictures === 'any' || type === '' || pictures.includes(type.toLowerCase())) return;
  const takes = pictures.map((each) => each.replace('image/', '')).join(', ');
  throw refuse(field, `${title} takes pictures as ${takes} alone.`, 'Convert the picture.');
}

function refuse(field: string, message: string, fix: string): CallError {
  return new CallError('validation', message, { field, fix });
}

import { CallError } from '#core/errors/call-error.ts';
import type { ChatMessage, ChatPart } from '#core/llm/chat.ts';
import { SCALABLE_TYPES, type PictureSupply } from '#core/llm/picture-supply.ts';
import type { ProviderId } from '#core/llm/provider.ts';
import { advice } from '#core/messages/fixes.ts';
import { notice, type Notice } from '#core/messages/notices.ts';
import type { AbortSignalLike } from '#core/net/abort.ts';
import type { InlineRule } from '#core/providers/assumption.ts';
import { descriptorOf } from '#core/providers/list.ts';
import { formatMegabytes } from '#core/text/format.ts';
import { matchSignature, NO_DOCUMENTS } from '#extract/documents/magic-numbers.ts';
import { inlineOf, inlineRule } from '#models/inline-media.ts';
import { ffmpegMissing, type Ffmpeg } from '#programs/ffmpeg/ffmpeg.ts';
import { MAX_PIXELS } from '../limits.ts';
import { createUploadSlots } from '../uploads/upload-slots.ts';
import { pictureSize, type PictureSize } from './picture-size.ts';
import { scalePicture, type PictureBytes, type ScaledPicture } from './scale-picture.ts';

type ImagePart = Extract<ChatPart, { readonly type: 'image' | 'video' | 'file' }>;

/** A picture as it is sent, and what was changed. */
interface FittedPart {
  readonly part: ImagePart;
  readonly change?: PictureChange;
}

interface PictureChange {
  readonly from?: PictureSize;
  readonly to?: PictureSize;
  readonly mediaType: string;
}

/** Programs that scale at the same time: each takes a processor and much memory. */
const AT_ONCE = 2;
/** Base64 of the part of a file in which formats are recognised. */
const HEAD_CHARS = 2_048;
/** The same for sizes, which come after the metadata. */
const SIZE_CHARS = 1_048_576;

/** Fits pictures to providers by ffmpeg. A picture is scaled once for each rule, while it is in memory. */
export function createPictureSupply(ffmpeg: Ffmpeg): PictureSupply {
  const slots = createUploadSlots(() => AT_ONCE);
  const known = new WeakMap<ImagePart['source'], Map<InlineRule, Promise<FittedPart>>>();

  async function fitPart(
    part: ImagePart,
    rule: InlineRule,
    field: string,
    signal: AbortSignalLike,
  ): Promise<FittedPart> {
    const inline = inlineOf(part.source);
    if (!inline || inline.bytes === 0) return { part };
    const base64 = base64Of(part.source);
    const mediaType = typeOf(base64) ?? inline.mediaType;
    const bytes = Buffer.from(base64, 'base64');
    const size = pictureSize(bytes, mediaType);
    if (size) requirePixels(size, field);
    const asIs: FittedPart =
      mediaType === inline.mediaType || !SCALABLE_TYPES.has(mediaType)
        ? { part }
        : { part: { ...part, source: { base64, mediaType } } };
    const need = needOf(rule, mediaType, bytes.length, size);
    if (need === 'none' || (need === 'must' && !SCALABLE_TYPES.has(mediaType))) return asIs;
    if ((await ffmpeg.find()) === undefined) {
      if (need === 'should') return asIs;
      throw overLimit(rule, size, ffmpegMissing(), field);
    }
    const scaled = await slots.run('ffmpeg', signal, () =>
      scalePicture({ bytes, mediaType }, targetOf(rule), ffmpeg, signal),
    );
    if ('is' in scaled) {
      if (need === 'should') return asIs;
      throw notScaled(scaled, rule, size, field);
    }
    return {
      part: { ...part, source: { base64: toBase64(scaled), mediaType: scaled.mediaType } },
      change: changeOf(scaled, size),
    };
  }

  function fitOnce(part: ImagePart, rule: InlineRule, field: string, signal: AbortSignalLike) {
    const byRule = known.get(part.source) ?? new Map<InlineRule, Promise<FittedPart>>();
    known.set(part.source, byRule);
    const before = byRule.get(rule);
    if (before) return before;
    const fitting = fitPart(part, rule, field, signal);
    byRule.set(rule, fitting);
    fitting.catch(() => byRule.delete(rule));
    return fitting;
  }

  return {
    async scaling() {
      const file = await ffmpeg.find().catch(() => undefined);
      return file === undefined ? 'missing' : 'ready';
    },

    async fit(messages, provider, { signal, field: named }) {
      const rule = inlineRule(provider, 'image');
      const hasPictures = messages.some(({ content }) => partsOf(content).some(isPicture));
      if (!hasPictures) return { messages, notices: [] };
      if (!rule) {
        requireAllPixels(messages, named);
        return { messages, notices: [] };
      }
      const fitted: ChatMessage[] = [];
      const notices: Notice[] = [];
      let number = 0;
      for (const [at, message] of messages.entries()) {
        if (message.role !== 'user' || typeof message.content === 'string') {
          fitted.push(message);
          continue;
        }
        const parts: ChatPart[] = [];
        // One after the other: each may take much memory.
        for (const [index, part] of message.content.entries()) {
          if (!isPicture(part)) {
            parts.push(part);
            continue;
          }
          number += 1;
          const field = named ?? `messages[${at}].content[${index}]`;
          const { part: own, change } = await fitOnce(part, rule, field, signal);
          parts.push(own);
          if (change) notices.push(changeNotice(change, number, provider));
        }
        fitted.push({ ...message, content: parts });
      }
      return { messages: fitted, notices };
    },
  };
}

function partsOf(content: ChatMessage['content']): readonly ChatPart[] {
  return typeof content === 'string' ? [] : content;
}

function isPicture(part: ChatPart): part is ImagePart {
  return part.type === 'image';
}

function base64Of(source: ImagePart['source']): string {
  if ('base64' in source) return source.base64;
  return 'url' in source ? source.url.slice(source.url.indexOf(',') + 1) : '';
}

function toBase64({ bytes }: PictureBytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** The type that the first bytes have, whatever was declared. */
function typeOf(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, HEAD_CHARS), 'base64');
  const type = matchSignature(head, NO_DOCUMENTS)?.mediaType;
  return type?.startsWith('image/') ? type : undefined;
}

/** Whether a picture has to be scaled for a provider, or would only be smaller. */
function needOf(
  { types, maxBytes, maxSidePixels = Infinity, bestSidePixels = Infinity }: InlineRule,
  mediaType: string,
  bytes: number,
  size: PictureSize | undefined,
): 'none' | 'should' | 'must' {
  const side = size ? Math.max(size.width, size.height) : 0;
  if (!types.includes(mediaType) || bytes > maxBytes || side > maxSidePixels) return 'must';
  return side > bestSidePixels ? 'should' : 'none';
}

/** Without a limit of the provider: as large as any of them takes. */
const USUAL_SIDE_PIXELS = 6_000;

function targetOf({ maxBytes, maxSidePixels, bestSidePixels }: InlineRule) {
  return { maxBytes, maxSidePixels: bestSidePixels ?? maxSidePixels ?? USUAL_SIDE_PIXELS };
}

function changeOf(
  { size: to, mediaType }: ScaledPicture,
  from: PictureSize | undefined,
): PictureChange {
  return { mediaType, ...(from && { from }), ...(to && { to }) };
}

function changeNotice(change: PictureChange, picture: number, provider: ProviderId): Notice {
  const { title, inlineMedia } = descriptorOf(provider);
  return notice('picture_scaled', {
    picture,
    provider: title,
    ...(change.from && { from: `${change.from.width} x ${change.from.height}` }),
    ...(change.to && { to: `${change.to.width} x ${change.to.height}` }),
    type: change.mediaType === 'image/png' ? 'PNG' : 'JPEG',
    takes: inlineMedia?.image?.takes ?? '',
  });
}

/** Refuses a picture that would take too much memory to decode. */
function requirePixels({ width, height }: PictureSize, field: string): void {
  if (width * height <= MAX_PIXELS) return;
  const message = `The picture has ${width} x ${height} pixels; at most ${MAX_PIXELS} are allowed in all.`;
  throw new CallError('too_large', message, {
    field,
    fix: 'Scale the picture down.',
    retry: 'never',
    dueTo: 'request',
  });
}

/** The same for a provider without limits, which would get a picture that others are not sent. */
function requireAllPixels(messages: readonly ChatMessage[], named: string | undefined): void {
  for (const [at, { content }] of messages.entries()) {
    for (const [index, part] of partsOf(content).entries()) {
      if (!isPicture(part) || !inlineOf(part.source)) continue;
      const head = base64Of(part.source).slice(0, SIZE_CHARS);
      const mediaType = typeOf(head);
      const size = mediaType && pictureSize(Buffer.from(head, 'base64'), mediaType);
      if (size) requirePixels(size, named ?? `messages[${at}].content[${index}]`);
    }
  }
}

function describeSize(size: PictureSize | undefined): string {
  return size ? `The picture (${size.width} x ${size.height} pixels)` : 'The picture';
}

function overLimit(
  { takes, fix }: InlineRule,
  size: PictureSize | undefined,
  cause: CallError,
  field: string,
): CallError {
  const message = `${describeSize(size)} is over a limit of the provider, which takes ${takes}. ${cause.message}`;
  return new CallError(cause.class, message, {
    field,
    fixes: [...cause.fixes, advice(fix)],
    cause,
  });
}

function notScaled(
  failure: Exclude<Awaited<ReturnType<typeof scalePicture>>, ScaledPicture>,
  rule: InlineRule,
  size: PictureSize | undefined,
  field: string,
): CallError {
  const what = describeSize(size);
  const limits = `The provider takes ${rule.takes}.`;
  switch (failure.is) {
    case 'failed':
      return new CallError('validation', `${what} cannot be decoded: it is damaged or cut off.`, {
        field,
        fix: 'Send the whole picture, as PNG or JPEG.',
        retry: 'never',
        dueTo: 'request',
      });
    case 'too_large': {
      const why =
        failure.limit === 'memory'
          ? 'takes more than 2.5 GB of memory to decode'
          : `stays over ${formatMegabytes(rule.maxBytes)} at any size`;
      return new CallError('too_large', `${what} ${why}. ${limits}`, { field, fix: rule.fix });
    }
  }
}

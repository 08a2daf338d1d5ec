import type { ChatMessage, MediaSource } from '#core/llm/chat.ts';
import { signalAt } from '#core/time/deadline.ts';
import type { Clock } from '#core/time/clock.ts';
import type { ProviderContext } from '#core/llm/provider.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import {
  createMediaFetcher,
  describeUnfetchedSource,
  type MediaFetchRules,
} from '../openai-compatible/request/fetch-media.ts';
import { unsupportedInput } from '../openai-compatible/errors/vendor-error.ts';
import {
  replaceMediaAsync,
  replaceMedia,
  type InlineSource,
} from '../openai-compatible/request/media.ts';
import type { Flavour } from './flavours.ts';

/**
 * Fetches the pictures of messages and puts them inline: a local server cannot fetch them, and
 * addresses have to be checked here.
 */
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
  const fetcher = createMediaFetcher({ ...rulesOf(publicHttp), signal: timer.signal });
  try {
    return await replaceMediaAsync(messages, async (part, field) => {
      const given = inlineOrUrl(part.source, field);
      const source = typeof given === 'string' ? await fetcher.fetch(given, 'image', field) : given;
      refuseType(source.mediaType, flavour, field);
      return { ...part, source };
    });
  } finally {
    timer.dispose();
  }
}

/** The messages as they would be sent, with a placeholder for the bytes that would be fetched. */
export function describePictures(
  messages: readonly ChatMessage[],
  flavour: Flavour,
  http: GuardedHttp<'public'>,
): readonly ChatMessage[] {
  return replaceMedia(messages, (part, field) => {
    const given = inlineOrUrl(part.source, field);
    if (typeof given === 'string')
      return { ...part, source: describeUnfetchedSource(given, 'image', field, rulesOf(http)) };
    refuseType(given.mediaType, flavour, field);
    return { ...part, source: given };
  });
}

function rulesOf(http: GuardedHttp<'public'>): MediaFetchRules {
  return { http, tooLargeFix: () => 'Send a smaller one.', outOfReach: 'permission' };
}

/** The inline bytes, or the address to fetch them from. */
function inlineOrUrl(source: MediaSource, field: string): InlineSource | string {
  if ('base64' in source) return source;
  if ('fileId' in source) {
    const message = 'A custom server has no files by id.';
    throw unsupportedInput(field, message, 'Send the picture itself.');
  }
  const data = /^data:([\w.+/-]{0,100});base64,/i.exec(source.url.slice(0, 200));
  return data ? { mediaType: data[1] ?? '', base64: source.url.slice(data[0].length) } : source.url;
}

function refuseType(type: string, { pictures, title }: Flavour, field: string): void {
  if (pictures === 'any' || type === '' || pictures.includes(type.toLowerCase())) return;
  const takes = pictures.map((each) => each.replace('image/', '')).join(', ');
  throw unsupportedInput(
    field,
    `${title} takes pictures as ${takes} alone.`,
    'Convert the picture.',
  );
}

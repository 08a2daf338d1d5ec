import type { ChatMessage, MediaSource } from '#core/chat.ts';
import { signalAt } from '#core/deadline.ts';
import type { Clock } from '#core/clock.ts';
import type { ProviderContext } from '#core/provider.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import { createMediaFetcher, unfetchedSource, type FetchRules } from '../wire/fetch-media.ts';
import { cannotTake } from '../wire/cannot-take.ts';
import { changeMedia, replaceMedia, type InlineSource } from '../wire/media.ts';
import type { Flavour } from './flavours.ts';

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
  const fetcher = createMediaFetcher({ ...rulesOf(publicHttp), signal: timer.signal });
  try {
    return await changeMedia(messages, async (part, field) => {
      const given = inlineOrUrl(part.source, field);
      const source = typeof given === 'string' ? await fetcher.fetch(given, 'image', field) : given;
      refuseType(source.mediaType, flavour, field);
      return { ...part, source };
    });
  } finally {
    timer.dispose();
  }
}

/** The messages as they would be sent, with a mark in place of the bytes that would be fetched. */
export function describePictures(
  messages: readonly ChatMessage[],
  flavour: Flavour,
  http: GuardedHttp<'public'>,
): readonly ChatMessage[] {
  return replaceMedia(messages, (part, field) => {
    const given = inlineOrUrl(part.source, field);
    if (typeof given === 'string')
      return { ...part, source: unfetchedSource(given, 'image', field, rulesOf(http)) };
    refuseType(given.mediaType, flavour, field);
    return { ...part, source: given };
  });
}

function rulesOf(http: GuardedHttp<'public'>): FetchRules {
  return { http, tooLargeFix: () => 'Send a smaller one.', outOfReach: 'permission' };
}

/** The bytes, or the address to fetch them from. */
function inlineOrUrl(source: MediaSource, field: string): InlineSource | string {
  if ('base64' in source) return source;
  if ('fileId' in source) {
    const message = 'A server of your own has no files by id.';
    throw cannotTake(field, message, 'Send the picture itself.');
  }
  const data = /^data:([\w.+/-]{0,100});base64,/i.exec(source.url.slice(0, 200));
  return data ? { mediaType: data[1] ?? '', base64: source.url.slice(data[0].length) } : source.url;
}

function refuseType(type: string, { pictures, title }: Flavour, field: string): void {
  if (pictures === 'any' || type === '' || pictures.includes(type.toLowerCase())) return;
  const takes = pictures.map((each) => each.replace('image/', '')).join(', ');
  throw cannotTake(field, `${title} takes pictures as ${takes} alone.`, 'Convert the picture.');
}

import type { ChatMessage, MediaSource } from '#core/chat.ts';
import { signalAt } from '#core/deadline.ts';
import type { Clock } from '#core/clock.ts';
import type { ProviderContext } from '#core/provider.ts';
import type { GuardedHttp } from '#net/create-http.ts';
import { createMediaFetcher, type MediaFetcher } from '../wire/fetch-media.ts';
import { changeMedia, refuseMedia, type InlineSource } from '../wire/media.ts';
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
  const fetcher = createMediaFetcher({
    http: publicHttp,
    signal: timer.signal,
    tooLargeFix: () => 'Send a smaller one.',
    outOfReach: 'permission',
  });
  try {
    return await changeMedia(messages, async (part, field) => {
      const source = await inline(part.source, field, fetcher);
      refuseType(source.mediaType, flavour, field);
      return { ...part, source };
    });
  } finally {
    timer.dispose();
  }
}

async function inline(
  source: MediaSource,
  field: string,
  fetcher: MediaFetcher,
): Promise<InlineSource> {
  if ('base64' in source) return source;
  if ('fileId' in source) {
    const message = 'A server of your own has no files by id.';
    throw refuseMedia(field, message, 'Send the picture itself.');
  }
  const data = /^data:([\w.+/-]{0,100});base64,/i.exec(source.url.slice(0, 200));
  if (data) return { mediaType: data[1] ?? '', base64: source.url.slice(data[0].length) };
  return fetcher.fetch(source.url, 'image', field);
}

function refuseType(type: string, { pictures, title }: Flavour, field: string): void {
  if (pictures === 'any' || type === '' || pictures.includes(type.toLowerCase())) return;
  const takes = pictures.map((each) => each.replace('image/', '')).join(', ');
  throw refuseMedia(field, `${title} takes pictures as ${takes} alone.`, 'Convert the picture.');
}

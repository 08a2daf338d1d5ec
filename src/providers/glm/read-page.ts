import { isUrl } from '#core/is-url.ts';
import type { PageText, ProviderContext, ReadPage } from '#core/provider.ts';
import { asObject, asText } from '../wire/json-read.ts';
import { createWire } from '../wire/wire.ts';
import type { WireOptions } from '../wire/wire-options.ts';
import { askGlm, refuseInput, unusable, type Glm } from './ask-glm.ts';

/** Elsewhere a failure of the vendor's network; here the page is the one that does not answer. */
const UNREACHABLE = '1234';

/** A page of the web as the vendor reads it; our machine does not go there. */
export async function readPage(
  glm: Glm,
  { url, format }: ReadPage,
  context: ProviderContext,
): Promise<PageText> {
  if (!isUrl(url) || !/^https?:$/.test(new URL(url).protocol))
    throw refuseInput('url', 'This is no http or https URL.', 'Give the whole address of a page.');
  const body = { url, return_format: format, retain_images: false };
  const call = { operation: 'read', method: 'POST', path: '/reader', body } as const;
  const answer = await askGlm(forPages(glm), call, context);
  const page = asObject(answer['reader_result']);
  const content = page?.['content'];
  if (!page || typeof content !== 'string') throw unusable('without the text of the page');
  return {
    url: asText(page['url']) ?? url,
    title: asText(page['title']) ?? '',
    description: asText(page['description']) ?? '',
    content,
  };
}

function forPages(glm: Glm): Glm {
  const options: WireOptions = {
    ...glm.options,
    classify: (error, model) =>
      error.code === UNREACHABLE
        ? {
            class: 'not_found',
            message:
              'GLM could not open this page: it does not exist, or its host does not answer.',
            fix: 'Look whether the address is right and open to everyone.',
          }
        : glm.options.classify(error, model),
  };
  return { ...glm, options, wire: createWire(options) };
}

import { isObject, type Dictionary } from '../is-object.ts';
import { bodyOf, searchWeb, type Page } from '../web.ts';
import { bad, type RoutedError } from './errors.ts';

const RESULTS = 5;
const MAX_RESULTS = 10;

/**
 * How many results the `web` plugin is to find, or the `:online` behind a name; nothing when
 * neither is there.
 */
export function readWebPlugin(
  body: Dictionary,
): { readonly results: number | undefined } | { readonly error: RoutedError } {
  const { plugins, model } = body;
  if (plugins !== undefined && plugins !== null && !isList(plugins))
    return { error: bad('plugins: an array of objects with an id is expected') };
  const web = (plugins ?? []).find(({ id, enabled }) => id === 'web' && enabled !== false);
  const isOnline = typeof model === 'string' && model.endsWith(':online');
  if (web === undefined) return { results: isOnline ? RESULTS : undefined };
  const results = web['max_results'] ?? RESULTS;
  if (typeof results !== 'number' || !(results >= 1 && results <= MAX_RESULTS))
    return { error: bad(`plugins.max_results: a number from 1 to ${MAX_RESULTS} is expected`) };
  return { results };
}

function isList(plugins: unknown): plugins is readonly Dictionary[] {
  return (
    Array.isArray(plugins) && plugins.every((one) => isObject(one) && typeof one['id'] === 'string')
  );
}

/** What is found by the last words of the user. */
export function searchFor(
  messages: readonly Dictionary[],
  results: number,
  nowMs: number,
): readonly Page[] {
  const asked = messages.findLast(({ role }) => role === 'user')?.['content'];
  const parts: readonly unknown[] = Array.isArray(asked) ? asked : [{ text: asked }];
  const query = parts
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('\n');
  return searchWeb({ query, count: results }, nowMs).map(({ page }) => page);
}

/** The results as the model reads them, each under the link that it is told to quote. */
export const asMessage = (pages: readonly Page[]): Dictionary => ({
  role: 'system',
  content: pages
    .map((page) => `<document name="${linkTo(page)}">\n${bodyOf(page)}\n</document>`)
    .join('\n'),
});

/** With the place in the text where it is quoted, the whole text when it is not. */
export const citationOf = (page: Page, text: string): Dictionary => {
  const at = text.indexOf(linkTo(page));
  return {
    type: 'url_citation',
    url_citation: {
      url: page.url,
      title: page.title,
      content: bodyOf(page),
      start_index: Math.max(0, at),
      end_index: at < 0 ? text.length : at + linkTo(page).length,
    },
  };
};

const linkTo = ({ url }: Page): string => `[${new URL(url).hostname}](${url})`;

import { isObject, type Dictionary } from '../is-object.ts';
import { bodyOf, searchWeb, type Page } from '../web.ts';
import { bad, type RoutedError } from './errors.ts';

const RESULTS = 5;
const MAX_RESULTS = 10;

export interface WebSearch {
  readonly results: number;
  /** Only pages of these hosts. */
  readonly domains: readonly string[];
}

/** What the `web` plugin is to find, or the `:online` behind a name; nothing when neither is there. */
export function readWebPlugin(
  body: Dictionary,
): { readonly search: WebSearch | undefined } | { readonly error: RoutedError } {
  const { plugins, model } = body;
  if (plugins !== undefined && plugins !== null && !isList(plugins))
    return { error: bad('plugins: an array of objects with an id is expected') };
  const web = (plugins ?? []).find(({ id, enabled }) => id === 'web' && enabled !== false);
  const isOnline = typeof model === 'string' && model.endsWith(':online');
  if (web === undefined)
    return { search: isOnline ? { results: RESULTS, domains: [] } : undefined };
  const results = web['max_results'] ?? RESULTS;
  if (typeof results !== 'number' || !(results >= 1 && results <= MAX_RESULTS))
    return { error: bad(`plugins.max_results: a number from 1 to ${MAX_RESULTS} is expected`) };
  const domains = web['include_domains'] ?? [];
  if (!Array.isArray(domains) || !domains.every((one) => typeof one === 'string'))
    return { error: bad('plugins.include_domains: an array of strings is expected') };
  return { search: { results, domains } };
}

function isList(plugins: unknown): plugins is readonly Dictionary[] {
  return (
    Array.isArray(plugins) && plugins.every((one) => isObject(one) && typeof one['id'] === 'string')
  );
}

/** What is found by the last words of the user. */
export function searchFor(
  messages: readonly Dictionary[],
  { results, domains }: WebSearch,
  nowMs: number,
): readonly Page[] {
  const asked = messages.findLast(({ role }) => role === 'user')?.['content'];
  const parts: readonly unknown[] = Array.isArray(asked) ? asked : [{ text: asked }];
  const query = parts
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('\n');
  const hosts = domains.length === 0 ? [undefined] : domains;
  return hosts
    .flatMap((domain) => searchWeb({ query, count: results, ...(domain && { domain }) }, nowMs))
    .slice(0, results)
    .map(({ page }) => page);
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

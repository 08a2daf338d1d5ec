import type { Citation } from '#core/chat.ts';
import type { ProviderContext, SearchQuery } from '#core/provider.ts';
import { askGlm, refuseInput, unusable, type Glm } from './ask-glm.ts';
import { readResults, writeFilters } from './web-search.ts';

/** Results without a model. */
export async function searchWeb(
  glm: Glm,
  wish: SearchQuery,
  context: ProviderContext,
): Promise<readonly Citation[]> {
  const query = wish.query.trim().toWellFormed();
  if (query === '') throw refuseInput('query', 'There is nothing to search for.', 'Say what.');
  const body = { search_query: query, ...writeFilters(wish, glm.site) };
  const answer = await askGlm(
    glm,
    { operation: 'search', method: 'POST', path: '/web_search', body },
    context,
  );
  const results = answer['search_result'];
  if (results !== undefined && results !== null && !Array.isArray(results))
    throw unusable('search results that are no list');
  return readResults(results);
}

import type { Tool } from '#core/tools/tool.ts';
import { glmWebReader, readWeb, type ReadWebDeps } from './read-web.ts';
import { glmWebSearch, webSearch, type WebSearchDeps } from './web-search.ts';

/** Creates the tools that search the web and read its pages. */
export function webTools(deps: WebSearchDeps & ReadWebDeps): readonly Tool[] {
  return [glmWebReader(deps), glmWebSearch(deps), readWeb(deps), webSearch(deps)];
}

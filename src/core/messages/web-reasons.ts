import type { SentenceTable } from './coded-message.ts';
import type { Reason } from './reasons.ts';

type WebService = 'search' | 'read';

/** Why the web could not be searched, or a page not be read by a provider. */
export interface WebReasonParams {
  /** Why the tool of `tools.webSearch` cannot search. */
  search_tool: {
    readonly tool: string;
    readonly problem: 'missing' | 'no_query' | 'unreadable';
  };
  /** `why`: the obstacle of each provider that has the service. */
  no_web_service: {
    readonly service: WebService;
    readonly why: readonly { readonly provider: string; readonly reason: Reason }[];
  };
  /** A site does not show a page to this machine. */
  page_refused: { readonly host: string; readonly status: number };
  web_service_failed: {
    readonly service: WebService;
    readonly failures: readonly { readonly provider: string; readonly message: string }[];
  };
}

const WHAT = { search: 'searches the web', read: 'reads web pages' } as const;
const DONE = { search: 'The web could not be searched', read: 'The page could not be read' };

const SEARCH_TOOL_PROBLEMS: Readonly<
  Record<WebReasonParams['search_tool']['problem'], (tool: string) => string>
> = {
  missing: (tool) => `there is no tool ${tool} of an MCP server that you may use`,
  no_query: (tool) => `${tool} has no argument for a query`,
  unreadable: (tool) => `${tool} answered in a form that is not known`,
};

export const WEB_REASON_SENTENCES: SentenceTable<WebReasonParams> = {
  search_tool: ({ tool, problem }) => SEARCH_TOOL_PROBLEMS[problem](tool),
  no_web_service: ({ service, why }, render) => {
    const each = why.map(({ provider, reason }) => `${provider}: ${render.reason(reason)}`);
    const because = each.length === 0 ? '' : ` (${each.join('; ')})`;
    return `No provider that ${WHAT[service]} can be used${because}`;
  },
  page_refused: ({ host, status }) => `${host} refuses to show the page (HTTP ${status})`,
  web_service_failed: ({ service, failures }) =>
    `${DONE[service]}: ${failures.map(({ provider, message }) => `${provider}: ${message}`).join(' ')}`,
};

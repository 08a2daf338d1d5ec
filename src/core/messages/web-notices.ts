import type { SentenceTable } from './coded-message.ts';
import type { ErrorText } from './error-text.ts';

type None = Readonly<Record<string, never>>;

/** Notices about searches of the web and pages. */
export interface WebNoticeParams {
  /** A provider has read the page; `because` is the failure of this machine, a sentence. */
  page_read_by_provider: { readonly provider: string; readonly because?: string };
  /** Scripts write the text of the page. */
  page_incomplete: None;
  page_empty: None;
  /** The tool of `tools.webSearch` failed, so a provider was asked. */
  search_tool_failed: { readonly tool: string; readonly error: ErrorText };
  /** Results that do not fit the filters of the search, although the provider returned them. */
  search_results_outside: { readonly count: number };
  /** Marks of citations that no result has; `links`: links to addresses that no result has. */
  sources_not_found: { readonly marks: number; readonly links: number };
}

export const WEB_NOTICE_SENTENCES: SentenceTable<WebNoticeParams> = {
  page_read_by_provider: ({ provider, because }) =>
    because === undefined
      ? `${provider} read the page, because scripts write its text.`
      : `${provider} read the page, because this machine could not: ${because}`,
  page_incomplete: () =>
    'The page is probably incomplete: scripts write its text, and they are not run.',
  page_empty: () => 'The page has no text.',
  search_tool_failed: ({ tool, error }, render) =>
    `${tool} did not search, so a provider did: ${render.message(error)}`,
  search_results_outside: ({ count }) =>
    `${count} ${count === 1 ? 'result was' : 'results were'} left out, because ${count === 1 ? 'it does' : 'they do'} not fit the filters of the search.`,
  sources_not_found: ({ marks, links }) => {
    const parts = [
      ...(marks > 0
        ? [`${marks} ${marks === 1 ? 'citation' : 'citations'} that no search result has`]
        : []),
      ...(links > 0
        ? [`${links} ${links === 1 ? 'link' : 'links'} that no search result has`]
        : []),
    ];
    return `The answer has ${parts.join(' and ')}; each is marked or left out. Check what it says there.`;
  },
};

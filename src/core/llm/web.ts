import type { AskContext, AskReport } from './ask.ts';
import type { PageText, ProviderId, ReadPage, SearchAnswer, SearchQuery } from './provider.ts';

/** The result of a search or of a reader, with who gave it and what it took. */
export interface WebExchange<T> {
  readonly result: T;
  readonly provider: ProviderId;
  readonly report: AskReport;
}

/**
 * Searches the web and reads pages through providers, each request as an attempt: with breakers,
 * retries, budgets, breadcrumbs and records. The first provider that can is asked, then the next;
 * `only` asks one provider alone. Rejects with the error of the last one.
 */
export interface WebExchanges {
  search(query: SearchQuery, by: AskContext, only?: ProviderId): Promise<WebExchange<SearchAnswer>>;
  read(page: ReadPage, by: AskContext, only?: ProviderId): Promise<WebExchange<PageText>>;
  /** Whether a provider that may be asked reads pages. */
  canRead(): boolean;
}

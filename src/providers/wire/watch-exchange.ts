import type { Clock } from '#core/clock.ts';
import type { Draft } from '#core/draft.ts';
import type { ErrorClass } from '#core/error-class.ts';
import type { HttpResponse } from '#core/http.ts';
import type { Exchange, ProviderContext, ProviderId } from '#core/provider.ts';
import type { Secret } from '#core/secret.ts';
import { asObject, asText } from './json-read.ts';

interface Watched {
  readonly provider: ProviderId;
  readonly clock: Clock;
  readonly idHeaders: readonly string[];
  readonly idFields?: readonly string[];
  /** Of the vendor, who may send it back by any name. */
  readonly key?: Secret;
}

/** Follows one exchange and tells about it once, when it is over. */
export interface ExchangeWatch {
  answered(response: HttpResponse): void;
  /** The body of the answer, or the first piece of one that comes in pieces. */
  said(body: unknown): void;
  firstToken(): void;
  end(outcome: 'ok' | ErrorClass): void;
}

const MAX_ID_CHARS = 200;

export function watchExchange(
  about: Pick<Exchange, 'operation' | 'model'>,
  context: ProviderContext,
  { provider, clock, idHeaders, idFields = [], key }: Watched,
): ExchangeWatch {
  const startedAt = clock.monotonic();
  let status: number | undefined;
  let firstTokenMs: number | undefined;
  let isOver = false;
  const vendorIds: Record<string, string> = {};

  function keep(name: string, value: string | undefined): void {
    if (value === undefined || key?.isIn(value) === true) return;
    vendorIds[name] = value.slice(0, MAX_ID_CHARS);
  }

  return {
    answered(response) {
      status = response.status;
      for (const name of idHeaders) {
        const value = response.headers[name];
        keep(name, value);
      }
    },
    said(body) {
      for (const name of idFields) {
        const value = asText(asObject(body)?.[name]);
        keep(name, value);
      }
    },
    firstToken() {
      firstTokenMs ??= clock.monotonic() - startedAt;
    },
    end(outcome) {
      if (isOver) return;
      isOver = true;
      const exchange: Draft<Exchange> = {
        provider,
        operation: about.operation,
        elapsedMs: clock.monotonic() - startedAt,
        outcome,
        vendorIds,
      };
      if (about.model !== undefined) exchange.model = about.model;
      if (firstTokenMs !== undefined) exchange.firstTokenMs = firstTokenMs;
      if (status !== undefined) exchange.status = status;
      context.onExchange?.(exchange);
    },
  };
}

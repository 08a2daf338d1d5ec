import type { Clock } from '#core/time/clock.ts';
import type { Mutable } from '#core/mutable.ts';
import type { ErrorClass } from '#core/errors/error-class.ts';
import type { HttpResponse } from '#core/net/http.ts';
import type { CapturedRequest } from '#core/llm/captured-request.ts';
import type { VendorRequestRecord, ProviderContext, ProviderId } from '#core/llm/provider.ts';
import type { Secret } from '#core/secrets/secret.ts';
import { redactUrl } from './http.ts';
import { asObject, asText, parseJson } from './response/json.ts';

interface TraceOptions {
  readonly provider: ProviderId;
  readonly clock: Clock;
  readonly idHeaders: readonly string[];
  readonly idFields?: readonly string[];
  /** The vendor's key, which may be sent back in any header. */
  readonly key?: Secret;
}

/** What was sent, with the key. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Records one vendor request and reports it once, when it is over. */
export interface VendorRequestTrace {
  responded(response: HttpResponse, sent?: SentRequest): void;
  /** The body of the response, or the first chunk of a stream. */
  received(body: unknown): void;
  /** The body of a refusal, without keys. */
  refused(text: string): void;
  firstToken(): void;
  end(outcome: 'ok' | ErrorClass): void;
}

const MAX_ID_CHARS = 200;

export function traceVendorRequest(
  about: Pick<VendorRequestRecord, 'operation' | 'model'>,
  context: ProviderContext,
  { provider, clock, idHeaders, idFields = [], key }: TraceOptions,
): VendorRequestTrace {
  const startedAt = clock.monotonic();
  let status: number | undefined;
  let firstTokenMs: number | undefined;
  let isOver = false;
  const vendorIds: Record<string, string> = {};
  let captured: CapturedRequest | undefined;

  function keep(name: string, value: string | undefined): void {
    if (value === undefined || key?.isIn(value) === true) return;
    vendorIds[name] = value.slice(0, MAX_ID_CHARS);
  }

  return {
    responded(response, sent) {
      status = response.status;
      if (context.onCapture && sent) captured = captureRequest(sent, response, key);
      for (const name of idHeaders) {
        const value = response.headers[name];
        keep(name, value);
      }
    },
    received(body) {
      if (captured) captured = { ...captured, responseBody: body };
      for (const name of idFields) {
        const value = asText(asObject(body)?.[name]);
        keep(name, value);
      }
    },
    refused(text) {
      if (captured) captured = { ...captured, responseBody: parseJson(text) ?? text };
    },
    firstToken() {
      firstTokenMs ??= clock.monotonic() - startedAt;
    },
    end(outcome) {
      if (isOver) return;
      isOver = true;
      const record: Mutable<VendorRequestRecord> = {
        provider,
        operation: about.operation,
        elapsedMs: clock.monotonic() - startedAt,
        outcome,
        vendorIds,
      };
      if (about.model !== undefined) record.model = about.model;
      if (firstTokenMs !== undefined) record.firstTokenMs = firstTokenMs;
      if (status !== undefined) record.status = status;
      context.onVendorRequest?.(record);
      if (captured) context.onCapture?.(captured);
    },
  };
}

/** The request and its response without the key, which may be in any header. */
function captureRequest(
  { url, headers, body }: SentRequest,
  response: HttpResponse,
  key: Secret | undefined,
): CapturedRequest {
  const withoutKey = (given: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(given).filter(
        ([name, value]) => name.toLowerCase() !== 'authorization' && key?.isIn(value) !== true,
      ),
    );
  return {
    url: redactUrl(url),
    requestHeaders: withoutKey(headers),
    requestBody: body,
    status: response.status,
    responseHeaders: withoutKey(response.headers),
  };
}

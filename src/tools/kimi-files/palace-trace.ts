import type { CapturedRequest } from '#core/llm/captured-request.ts';

export interface TraceFacts {
  /** Our id of the call. */
  readonly reqId: string;
  readonly requestedAtMs: number;
  readonly tags: readonly string[];
}

/** As Go names them, whose names MoonPalace writes; others have their number alone. */
const REASONS: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Request Entity Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/**
 * A request as `moonpalace export` writes it (MoonPalace 0.12, `Request.MarshalJSON`): the fields in
 * its order, the metadata sorted by name and all texts, bodies as JSON where they are JSON.
 */
export function palaceTrace(captured: CapturedRequest, facts: TraceFacts): object {
  const { status, requestHeaders: sent, responseHeaders: answered, responseBody } = captured;
  const shownStatus = `${status} ${REASONS[status] ?? ''}`.trim();
  const { origin } = new URL(captured.url);
  const metadata = {
    chatcmpl: idOf(responseBody),
    endpoint: origin,
    group_id: answered['msh-gid'],
    moonpalace_id: facts.reqId,
    request_content_type: mediaType(sent['content-type']),
    request_id: answered['msh-request-id'],
    requested_at: new Date(facts.requestedAtMs).toISOString().slice(0, 19).replace('T', ' '),
    response_content_type: mediaType(answered['content-type']),
    server_timing: /dur=(\d+)/.exec(answered['server-timing'] ?? '')?.[1],
    status: shownStatus,
    user_id: answered['msh-uid'],
  };
  return {
    metadata: Object.fromEntries(
      Object.entries(metadata).filter(([, value]) => value !== undefined),
    ),
    request: {
      url: captured.url,
      header: writeHeaders(sent),
      body: captured.requestBody,
    },
    response: { status: shownStatus, header: writeHeaders(answered), body: responseBody ?? '' },
    category: status >= 200 && status < 300 ? 'goodcase' : 'badcase',
    ...(facts.tags.length > 0 && { tags: facts.tags }),
  };
}

function idOf(body: unknown): string | undefined {
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : undefined;
}

function mediaType(header: string | undefined): string | undefined {
  return header?.split(/[; ]/, 1)[0];
}

/** `Content-Type: application/json\r\n`, sorted by name. */
function writeHeaders(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => [titleCase(name), value.replaceAll(/[\r\n]+/g, ' ')] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

function titleCase(name: string): string {
  return name.toLowerCase().replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => {
    return `${dash}${letter.toUpperCase()}`;
  });
}

import type { Http } from '#core/net/http.ts';

/** Headers with which vendors say how many requests a key may still make. */
const REMAINING = [
  'x-ratelimit-remaining-requests',
  'anthropic-ratelimit-requests-remaining',
  'x-ratelimit-remaining',
  'ratelimit-remaining',
];

/** An HTTP client that reports how many requests remain, as far as responses say. */
export function observeRemaining(http: Http, onRemaining: (requests: number) => void): Http {
  return {
    async send(request) {
      const response = await http.send(request);
      const found = REMAINING.map((name) => response.headers[name]).find((each) => each);
      if (found !== undefined && /^\d{1,9}$/.test(found)) onRemaining(Number(found));
      return response;
    },
    close: () => http.close(),
  };
}

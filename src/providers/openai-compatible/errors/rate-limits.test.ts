import { expect, test } from 'vitest';
import { readConcurrency, readPauseMs } from './rate-limits.ts';

test.each([
  ['Your account org-1<ak-2> request reached max organization concurrency: 1, please try', 1],
  ['concurrency limit 12 exceeded', 12],
  ['request reached organization max RPM: 3, please try again after 1 seconds', undefined],
  ['concurrency: 0', undefined],
  ['', undefined],
])('%j names a concurrency of %j', (text, limit) => {
  expect(readConcurrency(text)).toBe(limit);
});

const NOW = 1_790_000_000_000;

test.each([
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '50' }, 50_000],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1000 + 7) }, 7000],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW + 7) }, 7],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1700000000' }, 0],
  [{ 'x-ratelimit-remaining': '2', 'x-ratelimit-reset': '50' }, undefined],
  [{ 'x-ratelimit-remaining': '', 'x-ratelimit-reset': '50' }, undefined],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '-1' }, undefined],
  [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'soon' }, undefined],
  [{ 'x-ratelimit-remaining': '0' }, undefined],
  [{}, undefined],
])('%j is a pause of %j', (headers, pauseMs) => {
  expect(readPauseMs(headers as Record<string, string>, { now: () => NOW })).toBe(pauseMs);
});

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import {
  CALL_TIME_HELP,
  CLI_WAIT_HELP,
  CLI_WAIT_MS,
  CLI_WAIT_SECONDS,
  MAX_CLI_WAIT_SECONDS,
} from './call-times.ts';

const page = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

verifies('cli:timeouts', 'the documents name the limits of the code', () => {
  expect(CLI_WAIT_HELP).toBe('Seconds to wait, up to 86400; default: 600 without progress');
  expect(CALL_TIME_HELP).toBe(
    'It takes 1 hour at most (jobs.timeoutMs); a client that waits for less gets a job.',
  );
  expect(page('asking.md')).toContain(
    `seconds to wait, up to ${MAX_CLI_WAIT_SECONDS}; default: ${CLI_WAIT_SECONDS} without progress |`,
  );
  for (const name of ['failover.md', 'jobs.md']) {
    expect(page(name)).toContain(`${CLI_WAIT_MS / 60_000} minutes`);
  }
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isHomeTaken, readStartOutcome, startFailureLine } from '#client/start-failure.ts';
import { homePaths } from '#config/home/home.ts';
import { CallError } from '#core/errors/call-error.ts';
import { claimHome } from './single-instance.ts';
import { systemClock } from '../system.ts';

test('the error about a home held by another daemon is recognised', async () => {
  const root = mkdtempSync(join(tmpdir(), 'exai-taken-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = homePaths({ EXAI_HOME: root });
  const claim = await claimHome(home, systemClock);
  onTestFinished(() => claim.release());
  const error = await claimHome(home, systemClock).then(
    () => new CallError('internal', 'It has two.'),
    (thrown: unknown) => CallError.from(thrown),
  );
  expect(isHomeTaken(readStartOutcome(error.policy.exit, startFailureLine(error), '/logs/x'))).toBe(
    true,
  );
});

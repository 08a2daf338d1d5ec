import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
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

test('a lock is not intact while it is removed or its folder cannot be read', async () => {
  const above = mkdtempSync(join(tmpdir(), 'exai-lock-'));
  onTestFinished(() => rmSync(above, { recursive: true, force: true }));
  const root = join(above, 'home');
  mkdirSync(root);
  const claim = await claimHome(homePaths({ EXAI_HOME: root }), systemClock);
  onTestFinished(() => claim.release());
  expect(claim.isIntact()).toBe(true);
  renameSync(root, `${root}-moved`);
  expect(claim.isIntact()).toBe(false);
  symlinkSync(root, root);
  expect(claim.isIntact()).toBe(false);
  rmSync(root);
  renameSync(`${root}-moved`, root);
  expect(claim.isIntact()).toBe(true);
});

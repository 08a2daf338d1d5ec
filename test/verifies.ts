import { test, type TestContext } from 'vitest';
import type { RequirementId } from './requirements.ts';

/** A test that proves a promise of requirements.ts; its name is a sentence, as every test's. */
export function verifies(
  requirement: RequirementId,
  sentence: string,
  body: (context: TestContext) => void | Promise<void>,
  timeoutMs?: number,
): void {
  test(`${sentence} [${requirement}]`, body, timeoutMs);
}

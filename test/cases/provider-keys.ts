import { inspect } from 'node:util';
import { expect } from 'vitest';
import { collectChat } from '../collect-chat.ts';
import { verifies } from '../verifies.ts';
import { FIVE, user } from './provider-requests.ts';
import { failureOf, type Suite } from './provider-suite.ts';

/** Keys are looked at, and never shown. */
export function keyCases({ subject, open, provider }: Suite): void {
  verifies('keys:test', 'knows whether it can be used', async () => {
    expect(await provider().check(open().context())).toMatch(/\w/);
    if (subject.keyless) return;
    const error = await failureOf(open().withKey(subject.wrongKey).check(open().context()));
    expect(error).toMatchObject({ class: 'auth', fix: expect.stringMatching(/\w/) as unknown });
  });

  verifies('keys:isolation', 'never shows a key that is refused', async () => {
    const refused = open().withKey(subject.wrongKey);
    for (const delivery of ['whole', 'stream'] as const) {
      if (subject.keyless)
        open().emulator.fault({ id: 'F16', vendor: subject.vendor, path: 'chat' });
      const outcome = await collectChat(
        refused.chat({ model: subject.model, delivery, messages: user(FIVE) }, open().context()),
      );
      expect(outcome).toMatchObject({ is: 'failed', error: { class: 'auth' } });
      const shown = inspect([outcome, refused, JSON.stringify(outcome)], {
        depth: 20,
        showHidden: true,
      });
      expect(shown).not.toContain(subject.wrongKey);
    }
    const last = open().received().at(-1);
    expect(last?.headers[subject.keyHeader ?? 'authorization']).toBe(
      `…${subject.wrongKey.slice(-4)}`,
    );
  });
}

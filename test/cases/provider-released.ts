import { expect } from 'vitest';
import { collectChat } from '../collect-chat.ts';
import { verifies } from '../verifies.ts';
import { FIVE, user } from './provider-requests.ts';
import { type Suite } from './provider-suite.ts';
import { openProvider, openSockets } from './provider-under-test.ts';

const FAULTS = ['F4.502', 'F5.reset', 'F5.cut', 'F5.end', 'F5.nodone', 'F11.error'];

/** Whatever ended the exchanges: sockets, timers and listeners are gone. */
export function releaseCases({ subject, open }: Suite): void {
  verifies('net:released', 'no timer and no listener is left of all these cases', async () => {
    await expect.poll(() => open().left()).toEqual({ timers: 0, listeners: 0 });
  });

  verifies('net:released', 'closing the network leaves no socket', async () => {
    const before = openSockets();
    const harness = await openProvider(subject, {
      patience: { firstTokenMs: 90_000, idleMs: 100 },
    });
    const { emulator, provider } = harness;
    const ask = (delivery: 'whole' | 'stream') =>
      collectChat(
        provider.chat({ model: subject.model, delivery, messages: user(FIVE) }, harness.context()),
      );
    await Promise.all([
      ask('whole'),
      ask('stream'),
      ask('stream'),
      provider.check(harness.context()),
    ]);
    for (const id of FAULTS) {
      emulator.fault({ id, vendor: subject.vendor, path: 'chat' });
      await ask('stream');
    }
    harness.stallAfter(subject.leadEvents + 12);
    await collectChat(
      provider.chat(
        { model: subject.model, delivery: 'stream', messages: user('[[tokens 50]]') },
        harness.context(),
      ),
    );
    expect(openSockets()).toBeGreaterThan(before);
    await expect.poll(() => harness.left()).toEqual({ timers: 0, listeners: 0 });
    await harness.close();
    expect(harness.left()).toEqual({ timers: 0, listeners: 0 });
    await expect.poll(() => openSockets()).toBeLessThanOrEqual(before);
  });
}

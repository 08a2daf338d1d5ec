/** What becomes of a call when the SDK's own client stops waiting for it. */
import { Client, type ClientOptions, type Progress } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { describe, expect } from 'vitest';
import { withEnvelope } from '../../../test/read-envelope.ts';
import { verifies } from '../../../test/verifies.ts';
import { createTaskSession, type TaskSession } from './tasks.fixture.ts';
import { success } from './session.fixture.ts';

/** A session and a client of it, with nothing in between. */
async function connected(negotiation: ClientOptions['versionNegotiation']) {
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) => Promise.resolve(session.session.onMessage(JSON.stringify(message))),
    close: () => Promise.resolve(),
  };
  const session: TaskSession = createTaskSession();
  session.channel.send = (text) => transport.onmessage?.(JSON.parse(text) as JSONRPCMessage);
  const info = { name: 'test', version: '1' };
  const client = new Client(info, { ...(negotiation && { versionNegotiation: negotiation }) });
  await client.connect(transport);
  return { ...session, client };
}

describe.each([
  { as: 'by default', negotiation: undefined },
  { as: 'of 2026-07-28', negotiation: { mode: { pin: '2026-07-28' } } },
])('the client of the SDK, $as', ({ negotiation }) => {
  verifies('jobs:patience', 'times out at its limit, and the work continues', async () => {
    const { client, calls, handOffOf } = await connected(negotiation);
    const failed = client.callTool({ name: 'wait' }, { timeout: 1 }).catch(String);
    expect(await failed).toContain('timed out');
    await expect.poll(() => calls.started[0]?.isHandedOff).toBe(true);
    expect(calls.started[0]?.cancelledWith).toBeUndefined();
    expect(handOffOf(0)?.afterMs).toBe(45_000);
  });

  verifies(
    'progress:alive',
    'that resets its limit on progress gets it before any limit of half a minute',
    async () => {
      const { client, calls, clock, handOffOf } = await connected(negotiation);
      const heard: (string | undefined)[] = [];
      const options = {
        onprogress: ({ message }: Progress) => void heard.push(message),
        resetTimeoutOnProgress: true,
        timeout: 30_000,
      };
      const answer = client.callTool({ name: 'wait' }, options);
      await expect.poll(() => calls.started.length).toBe(1);
      calls.started[0]?.request.onAdmitted?.({ timeoutMs: 90_000 });
      for (let seconds = 10; seconds <= 270; seconds += 10) {
        clock.advance(10_000);
        // The client hands notifications on a little later.
        await expect.poll(() => heard.at(-1)).toBe(`running, ${seconds} s`);
      }
      expect(handOffOf(0)?.afterMs).toBe(280_000);
      calls.started[0]?.answer(success('wait', 'req_1', 'late, and not lost'));
      expect(await answer).toMatchObject({ ...withEnvelope({ content: 'late, and not lost' }) });
    },
  );
});

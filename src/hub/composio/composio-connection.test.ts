import { expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { createComposioConnection } from './composio-connection.ts';

type Options = Parameters<typeof createComposioConnection>[0];

test('data that is nested too deeply is an error of the server', async () => {
  let nested: unknown = 'x';
  for (let depth = 0; depth < 100_000; depth += 1) nested = [nested];
  const info = { slug: 'A_B', inputSchema: {}, toolkit: '' };
  const options = {
    server: 'composio',
    clock: createFakeClock(),
    session: { id: 's', mcpUrl: '' },
    inner: { request: async () => ({ tools: [{ name: 'META', inputSchema: {} }] }) },
    tools: { firstCursor: 'apps:used' },
    infoOf: async () => info,
    api: { execute: async () => ({ data: { nested }, error: null, logId: '' }) },
    sandboxes: { prepare: async (call: object) => call, note() {} },
  } as unknown as Options;
  const call = createComposioConnection(options).request(
    'tools/call',
    { name: 'A_B', arguments: {} },
    { timeoutMs: 1_000 },
  );
  await expect(call).rejects.toMatchObject({
    class: 'bad_response',
    reason: { code: 'server_protocol_error' },
  });
});

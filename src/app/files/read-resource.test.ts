import { expect, test } from 'vitest';
import { createTestCalls, OWNER, probeTool } from '#calls/calls.fixture.ts';
import type { Caller } from '#core/calls/call.ts';
import type { IntakeContext } from '#core/files/file-intake.ts';
import { createReadResource } from './read-resource.ts';

function setUp() {
  const { calls, content, store } = createTestCalls([probeTool().tool]);
  content.put('test', {
    templates: [
      {
        uriTemplate: 'exai://results/{id}',
        name: 'result',
        title: 'Result',
        description: 'One.',
        uses: 'probe',
        read: ({ id }, uri, { caller }) => [
          { uri, mimeType: 'text/plain', text: `${id} of ${caller.principal}` },
        ],
      },
    ],
  });
  const { signal } = new AbortController();
  const readResource = createReadResource(() => calls);
  const read = (uri: string, caller: Caller = OWNER) =>
    readResource(uri, { caller, signal } as unknown as IntakeContext);
  return { read, store };
}

test('a resource is read as its caller, and the reading is recorded', async () => {
  const { read, store } = setUp();
  const { bytes, ...about } = await read('exai://results/r1');
  expect(about).toEqual({ name: 'results/r1', contentType: 'text/plain' });
  expect(Buffer.from(bytes).toString()).toBe('r1 of local');
  expect(store.noted).toMatchObject([{ tool: 'resource:result', status: 'success' }]);
});

test('a resource that there is not is not found, and one without access is refused', async () => {
  const { read } = setUp();
  await expect(read('exai://none')).rejects.toMatchObject({ class: 'not_found' });
  const stranger = { principal: 'ada', scopes: ['other'], roots: [] };
  await expect(read('exai://results/r1', stranger)).rejects.toMatchObject({ class: 'permission' });
});

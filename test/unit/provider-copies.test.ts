import { afterAll, beforeAll, expect } from 'vitest';
import { createProviderCopies } from '#app/files/provider-copies.ts';
import { systemClock, systemRandom } from '#app/system.ts';
import { createIds } from '#core/ids.ts';
import type { ProviderStatus } from '#models/model-directory.ts';
import { createHash } from 'node:crypto';
import { askSuite } from '../cases/ask-suite.ts';
import type { AskRig } from '../cases/ask-under-test.ts';
import { verifies } from '../verifies.ts';

const suite = askSuite({ providers: ['kimi', 'glm'] });
let rig: AskRig;
beforeAll(async () => {
  rig = await suite.harness().manage();
});
afterAll(() => rig.close());

const PROVIDERS: readonly ProviderStatus[] = [
  { id: 'kimi', title: 'Kimi', configured: true, can: ['upload', 'delete_file'] },
  { id: 'glm', title: 'GLM', configured: true, can: ['upload'] },
];

async function upload(text: string, principal: string): Promise<string> {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const by = { ...rig.by(), caller: { principal, scopes: ['*'], roots: [] } };
  await rig.uploads.run('kimi', by, (uploads, context) =>
    uploads.upload(
      {
        provider: 'kimi',
        sha256,
        principal,
        name: 'a.txt',
        mediaType: 'text/plain',
        size: bytes.length,
        purpose: 'extract',
        async *bytes() {
          yield bytes;
        },
      },
      context,
    ),
  );
  return sha256;
}

verifies('files:commands', 'a copy is deleted at the provider with its last owner', async () => {
  const copies = createProviderCopies({
    uploads: rig.uploads,
    modelDirectory: { providers: () => PROVIDERS },
    clock: systemClock,
    newId: createIds(systemClock, systemRandom),
  });
  const deletions = () =>
    suite
      .harness()
      .emulator.requests({ vendor: 'kimi' })
      .filter(({ method }) => method === 'DELETE');
  const sha256 = await upload('A shared text.', 'local');
  await upload('A shared text.', 'alice');
  const listed = (await copies.list('local')).get(sha256);
  expect(listed).toMatchObject([{ provider: 'kimi', purpose: 'extract' }]);
  expect((await copies.list('bob')).size).toBe(0);

  expect(await copies.delete(sha256, 'bob')).toEqual({ deleted: 0, shared: 0, failed: [] });
  expect(await copies.delete(sha256, 'local')).toEqual({ deleted: 0, shared: 1, failed: [] });
  expect(deletions()).toHaveLength(0);
  expect(await copies.delete(sha256, 'alice')).toEqual({ deleted: 1, shared: 0, failed: [] });
  expect(deletions()).toHaveLength(1);
  expect((await copies.list('alice')).size).toBe(0);
});

verifies('files:commands', 'a copy that the provider does not delete is told', async () => {
  const copies = createProviderCopies({
    uploads: rig.uploads,
    modelDirectory: { providers: () => PROVIDERS },
    clock: systemClock,
    newId: createIds(systemClock, systemRandom),
  });
  const sha256 = await upload('Another text.', 'local');
  suite.harness().emulator.fault({ id: 'F4.502', vendor: 'kimi', times: 0 });
  const { deleted, failed } = await copies.delete(sha256, 'local');
  expect([deleted, failed]).toMatchObject([0, [{ provider: 'kimi' }]]);
});

import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { get } from '../http-get.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/silent-disk.mjs', import.meta.url));

verifies(
  'store:held-file',
  'a daemon whose disk does not answer ends all the same when it is told to, and starts again',
  async () => {
    const home = createHome();
    const held = home.path('held');
    const env = { NODE_OPTIONS: `--import=${FIXTURE}`, TEST_SILENT_DISK: held };
    const daemon = await home.serve([], { env });
    // The thread that writes exists from the first write on.
    await home.exai(['call', 'health']);
    writeFileSync(held, '');
    daemon.kill('SIGTERM');
    const { code } = await daemon.ended;
    // No thread of it can be ended in order.
    expect(code).toBeNull();
    rmSync(held);
    const again = await home.serve();
    expect((await get(`${again.url}/readyz`)).status).toBe(200);
    expect(await home.exai(['audit', 'verify'])).toMatchObject({ code: 0 });
  },
);

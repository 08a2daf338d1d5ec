import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createWorkspaceBench } from '../workspace.fixture.ts';
import { scanWorkspace } from './scan-workspace.ts';

const KEY = `AKIA${'QWERTYUIOPASDFGH'}`;

verifies('files:secrets', 'a diff and a file that a workflow reads are scanned, too', async () => {
  const bench = createWorkspaceBench();
  bench.git(bench.root, 'init', '-q');
  bench.write('project/a.txt', 'one\n');
  bench.git(bench.root, 'add', '.');
  bench.git(bench.root, '-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-qm', 'x');
  bench.write('project/a.txt', `one\nkey ${KEY}\n`);
  const { clock, workspace, reader } = bench;
  const options = { path: undefined, compareTo: undefined, staged: true, unstaged: true };
  const warned = scanWorkspace(workspace, { secrets: 'warn', clock });
  const { notices } = await warned.changes(options, reader);
  expect(notices.map(({ code }) => code)).toContain('file_secrets_found');
  const blocked = scanWorkspace(workspace, { secrets: 'block', clock });
  await expect(blocked.read(['a.txt'], 'files', reader)).rejects.toMatchObject({
    class: 'permission',
    message: expect.not.stringContaining(KEY) as string,
  });
});

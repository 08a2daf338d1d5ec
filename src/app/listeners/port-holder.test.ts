import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findPortHolder, describeHolder, listenerIn } from './port-holder.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:223D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 778001 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 778002 1 0000000000000000 20 4 30 10 -1
`;
const TABLE6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000    33        0 778003 1 0000000000000000 100 0 0 10 0
`;

test('the owner of a listening socket is read from the table of the system', () => {
  expect(listenerIn(TABLE, 8765)).toEqual({ uid: 1001, inode: '778001' });
  expect(listenerIn(TABLE6, 80)).toEqual({ uid: 33, inode: '778003' });
});

test('a connection of a port, another port and a missing table give no listener', () => {
  expect(listenerIn(TABLE, 8080)).toBeUndefined();
  expect(listenerIn(TABLE, 9999)).toBeUndefined();
  expect(listenerIn('', 8765)).toBeUndefined();
});

function procFolder(): string {
  const proc = mkdtempSync(join(tmpdir(), 'exai-proc-'));
  onTestFinished(() => rmSync(proc, { recursive: true, force: true }));
  mkdirSync(join(proc, 'net'));
  writeFileSync(join(proc, 'net/tcp'), TABLE);
  return proc;
}

test('the process is found where its files are visible, and named if its name is plain text', async () => {
  const proc = procFolder();
  expect(await findPortHolder(8765, proc)).toEqual({ uid: 1001 });
  mkdirSync(join(proc, '812/fd'), { recursive: true });
  symlinkSync('socket:[778001]', join(proc, '812/fd/7'));
  writeFileSync(join(proc, '812/comm'), 'python3\n');
  expect(await findPortHolder(8765, proc)).toEqual({ uid: 1001, pid: 812, program: 'python3' });
  writeFileSync(join(proc, '812/comm'), '\u001B]0;title\u0007\n');
  expect(await findPortHolder(8765, proc)).toEqual({ uid: 1001, pid: 812 });
});

test('without such tables the holder is unknown', async () => {
  expect(await findPortHolder(8765, '/nowhere')).toBeUndefined();
});

test('on Linux a listener of this very process is found', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const found = await findPortHolder((server.address() as AddressInfo).port);
  expect(found?.pid).toBe(process.platform === 'linux' ? process.pid : undefined);
});

test.each([
  [undefined, 'another program'],
  [{ uid: 4_000_000 }, 'a program of uid 4000000'],
  [{ uid: 4_000_000, pid: 812, program: 'python3' }, 'python3 (pid 812) of uid 4000000'],
])('%j is described as: %s', (holder, words) => {
  expect(describeHolder(holder)).toBe(words);
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { homePaths } from '#config/home/home.ts';
import type { Clock } from '#core/time/clock.ts';
import { connectToDaemon, type Link, type ConnectOptions } from './connect-to-daemon.ts';

export const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return { stop: () => clearTimeout(timer) };
  },
};

/**
 * A program in the place of the daemon: one per home, by a folder as its lock. It notes its start,
 * says welcome with the version it is configured with, and stops on request. With FAIL it reports
 * an error and ends like a daemon that cannot start.
 */
const PROGRAM = `
const { appendFileSync, mkdirSync, readFileSync, rmdirSync, rmSync } = require('node:fs');
const { createServer } = require('node:net');
const home = process.env.EXAI_HOME;
const say = (socket, word) => socket.write(JSON.stringify(word) + '\\n');
appendFileSync(home + '/started', process.pid + ' ' + process.argv.slice(2).join(' ') + '\\n');
const failed = (error) => console.error(JSON.stringify({ exai: 'start_failed', error }));
if (process.env.FAIL) {
  const fixes = [{ kind: 'advice', params: { text: 'Change it.' } }];
  failed({ class: process.env.FAIL_CODE ? 'conflict' : 'validation', message: process.env.FAIL, fixes });
  console.error('exai: ' + process.env.FAIL + '\\n  fix: Change it.');
  process.exit(Number(process.env.FAIL_CODE ?? 3));
}
if (process.env.STOPPED) {
  // As if it were stopped as soon as it was up: once, or each time.
  const times = readFileSync(home + '/started', 'utf8').trim().split('\\n').length;
  if (times <= Number(process.env.STOPPED)) process.env.EXIT === '0' ? process.exit(0) : process.kill(process.pid, 'SIGTERM');
}
try {
  mkdirSync(home + '/lock');
} catch {
  failed({ class: 'conflict', message: 'It is taken.', reason: { code: 'home_in_use', params: { home } } });
  process.exit(7);
}
const server = createServer((socket) => {
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk) => {
    const lines = (text + chunk).split('\\n');
    text = lines.pop();
    for (const line of lines) {
      const { exai } = JSON.parse(line);
      if (exai === 'hello')
        say(socket, { exai: 'welcome', version: process.env.VERSION, instance: String(process.pid), replay: [], notices: [], ...(process.env.OWNER && { owner: true }) });
      if (exai === 'drain') {
        say(socket, { exai: 'draining' });
        server.close();
        socket.end();
        // A daemon holds its home a little longer than its socket is open.
        setTimeout(() => {
          rmdirSync(home + '/lock');
          process.exit(0);
        }, 300);
      }
    }
  });
});
rmSync(home + '/daemon.sock', { force: true });
setTimeout(() => server.listen(home + '/daemon.sock'), 100);
`;

/** A home with that program in it. Whatever it started is ended with the test. */
export function createReach() {
  const root = mkdtempSync(join(tmpdir(), 'exai-reach-'));
  const file = join(root, 'program.cjs');
  writeFileSync(file, PROGRAM);
  const starts = () => {
    try {
      return readFileSync(join(root, 'started'), 'utf8').trim().split('\n');
    } catch {
      // None was started.
      return [];
    }
  };
  onTestFinished(() => {
    for (const line of starts()) {
      try {
        process.kill(Number.parseInt(line, 10), 'SIGKILL');
      } catch {
        // Gone by itself.
      }
    }
    rmSync(root, { recursive: true, force: true });
  });

  const reach = async (changes: Partial<ConnectOptions> = {}, env = {}): Promise<Link> => {
    const all = { PATH: process.env['PATH'], EXAI_HOME: root, VERSION: '1.0.0', ...env };
    const link = await connectToDaemon({
      home: homePaths(all),
      kind: 'cli',
      version: '1.0.0',
      cwd: root,
      env: all,
      clock,
      autostart: 'on',
      loadWebSocket: () => Promise.reject(new Error('These daemons have socket files.')),
      program: [process.execPath, file],
      ...changes,
    });
    onTestFinished(() => link.close());
    return link;
  };
  return { root, reach, starts };
}

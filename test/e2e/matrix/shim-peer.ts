import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { BIN } from '../exai.ts';
import type { OpenWire } from './peer.ts';
import { createSocketWire } from './socket-wire.ts';

const END_WITHIN_MS = 60_000;

/**
 * MCP over the shim that an IDE starts. With a token it goes to the address of its daemon, and else
 * to the home.
 */
export function overShim(home: string, url: string, token?: string, cwd = tmpdir()): OpenWire {
  return async (ear) => {
    const where = token === undefined ? [] : ['--url', url.replace(/^http/, 'ws')];
    const child = spawn(process.execPath, [BIN, 'stdio', ...where], {
      cwd,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        EXAI_HOME: home,
        EXAI_AUTOSTART: 'false',
        ...(token !== undefined && { EXAI_TOKEN: token }),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    return createSocketWire(ear, {
      onText(hear) {
        let rest = '';
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) hear(line);
        });
      },
      write: (text) => void child.stdin.write(`${text}\n`),
      async close() {
        const late = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
        child.stdin.end();
        await exited;
        clearTimeout(late);
      },
      async vanish() {
        child.kill('SIGKILL');
        await exited;
      },
    });
  };
}

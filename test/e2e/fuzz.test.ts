import { expect } from 'vitest';
import { dialUnix, dialWs, fuzzTransport } from '../fuzz-transports.ts';
import { verifies } from '../verifies.ts';
import { createHome } from './exai.ts';

const MESSAGES = 1500;

verifies(
  'door:fuzz',
  'messages made of anything leave the daemon as it was, at every transport',
  async () => {
    const { exai, serve, path } = createHome();
    const daemon = await serve();
    const ws = dialWs(daemon.url);
    const outcomes = [
      await fuzzTransport(ws, 'exai', MESSAGES, 1),
      await fuzzTransport(ws, 'mcp', MESSAGES, 2),
      await fuzzTransport(dialUnix(path('daemon.sock')), 'mcp', MESSAGES, 3),
    ];
    for (const { answers, strange } of outcomes) {
      expect(strange).toEqual([]);
      expect(answers).toBeGreaterThan(MESSAGES / 2);
    }
    expect((await exai(['call', 'version'])).code).toBe(0);
    daemon.kill('SIGTERM');
    expect((await daemon.ended).code).toBe(0);
    expect((await exai(['audit', 'verify'])).code).toBe(0);
  },
);
